/**
 * What a situation can do in every arm. A situation is one script; how a case begins, how an approver decides and who
 * carries out the effect is the arm's. Everything an approver or a person does is in the journal.
 */
import type { CaseInput } from '../../core/case.ts';
import { identify, parseCase } from '../../identity/index.ts';
import { canonicalCase } from '../../operations/content.ts';
import { ExperimentFault, type Experiment } from '../experiment.ts';
import type { Fault } from '../settings.ts';

/** A case as it is given; without a body where a model drafts it. */
export type GivenCase = Omit<CaseInput, 'body'> & { readonly body?: string };

/** What an approver has before them. */
export interface Shown {
  readonly caseId: string;
  /** Identity of exactly this content; the same computation for every arm. */
  readonly contentId: string;
  readonly content: CaseInput;
  readonly workflowId: string;
}

export interface Told {
  /** `null`: nobody answered. */
  readonly acknowledged: boolean | null;
  readonly said: string;
}

export interface Choice {
  readonly approved: boolean;
  readonly reviewer: string;
}

export type Change = Partial<Pick<CaseInput, 'body' | 'evidence' | 'policy'>>;

export const approve: Choice = { approved: true, reviewer: 'rosa' };
export const decline: Choice = { approved: false, reviewer: 'marek' };

const contentIdOf = (content: CaseInput): string => identify(canonicalCase(parseCase(content))).operationId;

/** What every case is about unless it says otherwise. */
export const objectId = 'ticket-7';

export abstract class World {
  readonly x: Experiment;

  constructor(experiment: Experiment) {
    this.x = experiment;
  }

  /** The case a situation begins with; a change makes it another one. Its number comes from the seed. */
  case(change: Partial<GivenCase> = {}): GivenCase {
    const number = 1_000 + (this.x.seed % 9_000);
    return {
      caseId: `T-${number}`,
      action: 'record_support_review',
      body: 'The restart after update 4.2 is a known firmware issue.',
      evidence: [{ sourceId: 'KB-311', version: 3, quotation: 'Update 4.2 can restart the unit.' }],
      policy: { label: 'support-review/1', allowanceUnits: 9 },
      object: { id: objectId, version: 1, scope: 'default' },
      ...change,
    };
  }

  /** The same without a text: a model drafts it. */
  undrafted(): GivenCase {
    const { body: _body, ...rest } = this.case();
    return rest;
  }

  /** What an approver has before them who approves without having seen anything. */
  unseen(given: GivenCase): Shown {
    return {
      caseId: given.caseId,
      contentId: '',
      content: { ...given, body: '' },
      workflowId: `review/${given.caseId}`,
    };
  }

  /** Starts whatever has to run before anything else can. */
  abstract open(): Promise<void>;
  /** Hands the case in and answers what an approver is shown. */
  abstract begin(given: GivenCase, how?: { readonly workflowId?: string }): Promise<Shown>;
  /** Hands the case in while nobody is there to prepare it. */
  abstract submit(given: GivenCase): Promise<string>;
  /** What an approver is shown now of a case that was handed in. */
  abstract look(given: GivenCase): Promise<Shown>;
  /** A decision on what was shown. Returns when it was acknowledged, refused, or can no longer be answered. */
  abstract decide(shown: Shown, choice: Choice): Promise<Told>;
  /** An edit while the case waits; answers what is shown afterwards. */
  abstract revise(shown: Shown, change: Change): Promise<Shown>;
  abstract changeObject(
    objectId: string,
    change: { readonly version?: number; readonly permitted?: boolean },
  ): Promise<void>;
  /** Arms the process that will carry out the effect; in arms with an engine it starts now. */
  abstract carry(fault?: Fault | null): Promise<void>;
  /** Takes the process that carries out effects away, gently. */
  abstract rest(): Promise<void>;
  /** kill -9 of the process that stands at the fault. */
  abstract kill(): Promise<void>;
  /** Waits until the armed process has ended by its fault. */
  abstract died(): Promise<void>;
  /** What is done after a fault: another worker where there is an engine, the next command where there is none. */
  abstract resume(shown: Shown): Promise<void>;
  /** Waits until nothing moves any more in these cases. */
  abstract settle(shown: readonly Shown[]): Promise<void>;
  /** Waits until the armed process stands at its fault. */
  abstract reached(): Promise<void>;
  /** Lets the process at its fault go on. */
  abstract proceed(): void;
  /** SIGSTOP of the process at its fault; somebody else finishes its work; then SIGCONT, and its attempt goes on. */
  abstract heldBeside(shown: Shown): Promise<void>;

  /** After a lost receipt: waits until whoever asks the destination has asked, and was shown nothing. */
  abstract lookedInVain(shown: Shown): Promise<void>;
  /** The same case comes in once more, and is approved once more where anybody can; refusals are part of the answer. */
  abstract again(given: GivenCase): Promise<void>;
  /** Waits until whoever carries it out has tried. */
  abstract attempted(): Promise<void>;
  /** Hands in a case that is to be refused. */
  abstract refusedAtBegin(given: GivenCase): Promise<void>;

  /** What an approver has before them who reads the case itself. */
  asRead(given: GivenCase): Shown {
    if (given.body === undefined) throw new ExperimentFault('This case has no text yet.');
    return this.noteShown(given, { ...given, body: given.body }, `review/${given.caseId}`);
  }

  protected noteShown(given: { readonly caseId: string }, content: CaseInput, workflowId: string): Shown {
    const contentId = contentIdOf(content);
    const { caseId } = given;
    const object = content.object?.id ?? caseId;
    this.x.note('approver', 'proposal-shown', { caseId, contentId, object });
    return { caseId, contentId, content, workflowId };
  }

  protected noteAsked({ caseId, contentId }: Shown, { approved, reviewer }: Choice): void {
    this.x.note('approver', 'decision-asked', { caseId, contentId, approved, reviewer });
  }

  protected noteTold({ caseId, contentId }: Shown, { approved, reviewer }: Choice, told: Told): Told {
    this.x.note('approver', 'decision-told', { caseId, contentId, approved, reviewer, ...told });
    return told;
  }

  /** From now on the object is in the hands of this operation. */
  noteTaken({ contentId }: Shown, object: string): void {
    this.x.note('fault', 'object-taken', { object, contentId });
  }

  noteFreed(object: string): void {
    this.x.note('fault', 'object-freed', { object });
  }

  /** From now on an approval of this content no longer stands. */
  noteVoid({ contentId, caseId }: Shown, why: string): void {
    this.x.note('fault', 'approval-void', { contentId, caseId, why });
  }
}
