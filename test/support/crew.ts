/** Many processes at one ledger file, or at one state directory, let go together. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Reply } from './reply-process.ts';

/** What each of them runs: the ledger's port alone, or the use cases as the application driver calls them. */
export type Kind = 'ledger' | 'driver';
const scriptOf = (kind: Kind): string => fileURLToPath(new URL(`./${kind}-process.ts`, import.meta.url));

class Member {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly lines: AsyncIterator<string>;

  constructor(kind: Kind) {
    this.child = spawn(process.execPath, ['--import', 'tsx', scriptOf(kind)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  send(command: object): void {
    this.child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  async line(): Promise<string> {
    const next = await this.lines.next();
    if (next.done) throw new Error(`a process ended early (${String(this.child.exitCode)})`);
    return next.value;
  }
}

/** `Command`: what its processes understand. */
export class Crew<Command extends object> {
  private readonly members: readonly Member[];

  private constructor(members: readonly Member[]) {
    this.members = members;
  }

  /** All have loaded the program and wait at the barrier. */
  static async of<Command extends object>(size: number, kind: Kind): Promise<Crew<Command>> {
    const members = Array.from({ length: size }, () => new Member(kind));
    await Promise.all(members.map((member) => member.line()));
    return new Crew<Command>(members);
  }

  get size(): number {
    return this.members.length;
  }

  /** Gives every process its command at once, and returns their answers. Throws what any of them threw. */
  async all<T>(command: (index: number) => Command): Promise<T[]> {
    this.members.forEach((member, index) => {
      member.send(command(index));
    });
    const replies = await Promise.all(this.members.map(async (member) => JSON.parse(await member.line()) as Reply));
    const errors = replies.map(({ error }) => error).filter((error) => error !== undefined);
    if (errors.length > 0) throw new Error(`${errors.length} of ${this.size} failed: ${JSON.stringify(errors[0])}`);
    return replies.map(({ answer }) => answer as T);
  }

  /** Ends every process and waits until it is gone. */
  async dismiss(): Promise<void> {
    await Promise.all(
      this.members.map(({ child }) => {
        const gone = new Promise((resolve) => child.once('close', resolve));
        child.stdin.end();
        return gone;
      }),
    );
  }
}
