/** The arm without an engine: every step is a command that somebody runs. */
import { existsSync, writeFileSync } from 'node:fs';
import type { Launched } from '../../cli/demo/processes.ts';
import { isFinal } from '../../core/states.ts';
import { ExperimentFault, type Child } from '../experiment.ts';
import type { Fault } from '../settings.ts';
import { answered, begun, contentOf, decisionArgs, revised, run, setObject, storedState, told } from './product.ts';
import { approve, World, type Change, type Choice, type GivenCase, type Shown, type Told } from './world.ts';

/** Whoever has swept so often expects no more of it. */
const mostSweeps = 5;
const betweenSweepsMs = 1_000;

type Command = Launched & { readonly child: Child };

export class LedgerWorld extends World {
  private fault: Fault | null = null;
  /** Whether an approval only records, as `approve --no-wait` does. */
  private resting = false;
  private held: Command | null = null;
  private released = false;

  open(): Promise<void> {
    return Promise.resolve();
  }

  async begin(given: GivenCase): Promise<Shown> {
    const { answer, code } = await run(this.x, ['begin', this.x.file('case.json', given)]);
    if (!answer.proposal) throw new ExperimentFault(`begin was answered ${answer.outcome ?? code ?? 'nothing'}.`);
    return this.noteShown(given, contentOf(given, answer.proposal), '');
  }

  /** Nobody prepares a case later: the command that hands it in does. */
  async submit(given: GivenCase): Promise<string> {
    await run(this.x, ['begin', this.x.file('case.json', given)]);
    return '';
  }

  async look(given: GivenCase): Promise<Shown> {
    const { answer, code } = await run(this.x, ['show', given.caseId]);
    if (!answer.proposal) throw new ExperimentFault(`show ended with ${code ?? 'a signal'}.`);
    return this.noteShown(given, contentOf(given, answer.proposal), '');
  }

  /** The command that records the decision carries out the effect, too. */
  async decide(shown: Shown, choice: Choice): Promise<Told> {
    this.noteAsked(shown, choice);
    const { fault } = this;
    this.fault = null;
    const args = decisionArgs(shown.contentId, choice);
    const command = this.x.command(this.resting ? [...args, '--no-wait'] : args, fault);
    if (fault?.manner === 'hold' || fault?.manner === 'wait') {
      this.held = command;
      await this.standsAtFault(command);
      void answered(command).then((answer) => this.noteTold(shown, choice, told(answer)));
      return { acknowledged: null, said: 'no answer yet' };
    }
    const answer = await answered(command);
    if (fault?.manner === 'exit') this.noteExit(command, answer.code);
    return this.noteTold(shown, choice, told(answer));
  }

  private noteExit({ child }: Command, code: number | null): void {
    if (code !== 17) throw new ExperimentFault(`The command ended with ${code ?? 'a signal'}, not with 17.`);
    this.x.note('fault', 'command-exited', { command: child.by, code });
  }

  private async standsAtFault({ child, ended }: Command): Promise<void> {
    let over = false;
    void ended.then(() => (over = true));
    await this.x.until('the command stands at the fault', () => {
      if (over) throw new ExperimentFault('The command ended before its fault.');
      return existsSync(child.reached) ? true : null;
    });
  }

  async revise(shown: Shown, change: Change): Promise<Shown> {
    return this.noteShown(shown, await revised(this, shown, change), '');
  }

  changeObject(objectId: string, change: { version?: number; permitted?: boolean }): Promise<void> {
    return setObject(this.x, objectId, change);
  }

  carry(fault: Fault | null = null): Promise<void> {
    this.resting = false;
    this.fault = fault;
    return Promise.resolve();
  }

  rest(): Promise<void> {
    this.resting = true;
    return Promise.resolve();
  }

  async kill(): Promise<void> {
    const { held } = this;
    if (!held) throw new ExperimentFault('No command is held.');
    this.held = null;
    held.kill('SIGKILL');
    await held.ended;
    this.x.note('fault', 'command-killed', { command: held.child.by });
  }

  died(): Promise<void> {
    return Promise.resolve();
  }

  /** `decide` has waited for that. */
  reached(): Promise<void> {
    return Promise.resolve();
  }

  proceed(): void {
    if (!this.held) throw new ExperimentFault('No command is held.');
    const { child } = this.held;
    writeFileSync(child.release, '', { mode: 0o600 });
    this.released = true;
    this.x.note('fault', 'command-released', { command: child.by });
  }

  async heldBeside(shown: Shown): Promise<void> {
    const { held } = this;
    if (!held) throw new ExperimentFault('No command is held.');
    held.kill('SIGSTOP');
    this.x.note('fault', 'command-stopped', { command: held.child.by, signal: 'SIGSTOP' });
    await this.resume(shown);
    this.proceed();
    held.kill('SIGCONT');
    await held.ended;
  }

  /** Somebody runs the next commands: a sweep asks what happened, and has the work done that is left. */
  async resume(shown: Shown): Promise<void> {
    this.resting = false;
    // Nobody runs a command about what is settled.
    const before = storedState(this.x, shown.contentId)?.state;
    if (before === undefined || isFinal(before)) return;
    for (let sweeps = 0; sweeps < mostSweeps; sweeps += 1) {
      this.x.note('person', 'ran-a-command', { command: 'sweep' });
      await run(this.x, ['sweep']);
      const state = storedState(this.x, shown.contentId)?.state;
      if (state !== 'Executing' && state !== 'Approved' && state !== 'Unknown') return;
      // Whoever waits for a lease to end comes back later.
      await this.x.untilTime(Date.now() + betweenSweepsMs);
    }
  }

  /** Without an engine nothing moves unless a command runs. */
  async settle(): Promise<void> {
    if (this.released) await this.held?.ended;
  }

  /** The command that lost the receipt has asked by itself. */
  async lookedInVain(): Promise<void> {
    await this.x.until('a look has found nothing', () => (this.x.lookedInVain() ? true : null));
  }

  /** A command that came back has tried. */
  attempted(): Promise<void> {
    return Promise.resolve();
  }

  async again(given: GivenCase): Promise<void> {
    this.resting = false;
    const content = await begun(this.x, given);
    await this.decide(content ? this.noteShown(given, content, '') : this.asRead(given), approve);
  }

  async refusedAtBegin(given: GivenCase): Promise<void> {
    if (await begun(this.x, given)) throw new ExperimentFault('The case was not refused.');
  }
}
