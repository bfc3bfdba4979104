/** Tells the story to people. Silent with --json; the spinner moves on a terminal only. */
import process from 'node:process';
import ora, { type Ora } from 'ora';
import pc from 'picocolors';
import type { Told } from './told.ts';

/** Identities are told by their first digits; the evidence has them whole. */
export const short = (text: string): string =>
  text.replace(/\b(op|evidence|policy)-v1-([0-9a-f]{8})[0-9a-f]{56}\b/g, '$1-v1-$2…');

export class Narrator {
  private readonly silent: boolean;
  private spinner: Ora | null = null;

  constructor(silent: boolean) {
    this.silent = silent;
  }

  say(text: string): void {
    if (!this.silent) process.stdout.write(`${short(text)}\n`);
  }

  /** What goes on now; gone when the next thing is said. */
  working(text: string): void {
    this.rest();
    // A terminal that does not know its width makes ora clear lines for ever.
    if (this.silent || !process.stderr.isTTY || !(process.stderr.columns > 0)) return;
    // The input stays as it is: a Ctrl-C must reach every process at once, as it would without a spinner.
    const options = { text, color: pc.isColorSupported ? ('cyan' as const) : false, discardStdin: false };
    this.spinner = ora(options).start();
  }

  rest(): void {
    this.spinner?.stop();
    this.spinner = null;
  }

  step(number: number, { title, commands, happened, proof }: Told): void {
    this.rest();
    const heading = pc.bold(`${String(number).padStart(2)} ${title}`);
    const typed = commands.map((command) => pc.dim(`   $ ${command}`));
    this.say([heading, ...typed, `   ${happened}`, `   ${pc.cyan('Proof:')} ${proof}`, ''].join('\n'));
  }
}
