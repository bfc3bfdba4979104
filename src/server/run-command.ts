/** Runs a short-lived program with a time limit and says in words why it failed. */
import { execFile } from 'node:child_process';

interface CommandResult {
  readonly ok: boolean;
  /** The program itself is not there, so another spelling of it is worth a try. */
  readonly missing: boolean;
  readonly stdout: string;
  readonly reason: string;
}

interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly cwd?: string;
}

const maxOutputBytes = 1024 * 1024;

/** Tools put the cause at the end of a long output; one line of it is what a person can use. */
function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return (
    lines
      .filter((line) => line !== '')
      .at(-1)
      ?.slice(0, 300) ?? ''
  );
}

export function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const settings = {
    env: options.env,
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL' as const,
    maxBuffer: maxOutputBytes,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  };
  return new Promise((resolve) => {
    const done = (
      error: (Error & { code?: unknown; killed?: boolean }) | null,
      stdout: string,
      stderr: string,
    ): void => {
      if (error === null) {
        resolve({ ok: true, missing: false, stdout, reason: '' });
        return;
      }
      const missing = error.code === 'ENOENT';
      const limit = `no answer within ${options.timeoutMs / 1000} s`;
      const said = lastLine(stderr) || lastLine(stdout);
      const code = typeof error.code === 'number' ? `exit ${error.code}${said && `: ${said}`}` : error.message;
      resolve({ ok: false, missing, stdout, reason: missing ? 'not found' : error.killed ? limit : code });
    };
    try {
      execFile(file, args, settings, done);
    } catch (error) {
      // Some failures to start (a file that is no program) are thrown at once instead of being reported.
      done(error as Error, '', '');
    }
  });
}
