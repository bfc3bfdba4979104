/** Answers of commands: one JSON document with --json, otherwise text for people. Failures have a hint and a code. */
import process from 'node:process';
import ora from 'ora';
import pc from 'picocolors';
import { catalogue, errorCode } from '../core/errors.ts';
import type { Outcome } from '../core/outcomes.ts';
import { hintOf } from './hints.ts';
import { oneLine } from './text.ts';

/** A terminal that reports no width keeps the spinner's line splitting busy for ever. */
const canSpin = (): boolean => process.stderr.isTTY && process.stderr.columns > 0;

export interface Progress {
  update(text: string): void;
  /** Leaves a line behind and goes on, saying how far it is. */
  line(text: string, state: string): void;
  end(): void;
}

export class Output {
  readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  /** The answer of a command. `text` is called only when people read it. */
  answer(value: unknown, text: () => string): void {
    process.stdout.write(this.json ? `${JSON.stringify(value)}\n` : `${text()}\n`);
  }

  /** The answer of a command that was refused: the same document with --json, otherwise on standard error. */
  refusal(value: unknown, text: () => string): void {
    if (this.json) process.stdout.write(`${JSON.stringify(value)}\n`);
    else process.stderr.write(`${text()}\n`);
  }

  /** The same for an outcome that is a refusal, with what a person can do about it. */
  refused(outcome: Outcome, value: unknown, text: () => string): void {
    this.refusal(value, () => {
      const hint = hintOf(outcome);
      return hint === null ? text() : `${text()}\n  ${hint}`;
    });
  }

  /** A remark for people; nothing with --json. */
  note(text: string): void {
    if (!this.json) process.stderr.write(`${pc.dim(text)}\n`);
  }

  /** Progress of something long: on a terminal only, never with --json. */
  progress(title: string): Progress {
    const spinner = ora({ text: title, stream: process.stderr, isSilent: this.json || !canSpin() }).start();
    return {
      update: (text) => {
        spinner.text = `${title}: ${text}`;
      },
      line: (text, state) => {
        if (!spinner.isSpinning) return;
        spinner.stopAndPersist({ symbol: '', text: oneLine(text, 400) }).start(`${title}: ${state}`);
      },
      end: () => {
        spinner.stop();
      },
    };
  }

  /** Reports anything thrown and returns the exit code. */
  failure(thrown: unknown): number {
    const code = errorCode(thrown) ?? 'internal';
    const entry = catalogue[code];
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const field = (key: string): string | null => {
      const value = typeof thrown === 'object' && thrown !== null ? (thrown as Record<string, unknown>)[key] : null;
      return typeof value === 'string' ? value : null;
    };
    const hint = field('hint') ?? entry.hint;
    this.refusal({ error: { code, message, hint, pointer: field('pointer') } }, () =>
      [`${pc.red('error')} ${pc.dim(`[${code}]`)} ${oneLine(message, 400)}`, `  ${oneLine(hint, 400)}`].join('\n'),
    );
    if (code === 'internal' && process.env['COUNTERSIGN_DEBUG'] && thrown instanceof Error) {
      process.stderr.write(`${thrown.stack ?? ''}\n`);
    }
    return entry.exitCode;
  }
}
