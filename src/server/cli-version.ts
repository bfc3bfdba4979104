/** Asks a Temporal CLI for its version; a file that cannot answer is not a Temporal CLI. */
import { oldestCliVersion } from './pins.ts';
import { runCommand } from './run-command.ts';

export interface CliVersion {
  readonly version: string;
  readonly serverVersion: string;
}

type CliCheck = { readonly ok: true; readonly version: CliVersion } | { readonly ok: false; readonly reason: string };

const versionTimeoutMs = 15_000;
const versionLine = /temporal version (\d+\.\d+\.\d+\S*) \(Server (\d+\.\d+\.\d+\S*?)[,)]/;
/** What the CLI calls itself when it was built from source; there is nothing to compare, so it is believed. */
const sourceBuild = '0.0.0-DEV';

function parseCliVersion(output: string): CliVersion | null {
  const match = versionLine.exec(output);
  return match?.[1] && match[2] ? { version: match[1], serverVersion: match[2] } : null;
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split(/[.-]/, 3).map(Number));
  const first = [0, 1, 2].find((i) => a?.[i] !== b?.[i]);
  return first !== undefined && (a?.[first] ?? 0) < (b?.[first] ?? 0);
}

export async function checkCli(path: string, env: NodeJS.ProcessEnv): Promise<CliCheck> {
  const result = await runCommand(path, ['--version'], { env, timeoutMs: versionTimeoutMs });
  if (!result.ok) return { ok: false, reason: `${path} does not run: ${result.reason}` };
  const version = parseCliVersion(result.stdout);
  if (version === null) {
    const said = JSON.stringify(result.stdout.trim().slice(0, 80));
    return { ok: false, reason: `${path} --version does not answer like a Temporal CLI: ${said}` };
  }
  if (version.version !== sourceBuild && isOlder(version.version, oldestCliVersion)) {
    return { ok: false, reason: `${path} is version ${version.version}; ${oldestCliVersion} or newer is needed` };
  }
  return { ok: true, version };
}
