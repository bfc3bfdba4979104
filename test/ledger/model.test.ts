// The SQLite ledger against a small pure model, under random sequences of everything people, workers and clocks do.
// FC_SEED=… repeats a run; COUNTERSIGN_FULL=1 runs many more.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as immediately } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Finding, ReceiverAnswer, Resolution } from '../../src/core/records.ts';
import type { ReceiverDeclaration } from '../../src/core/recovery.ts';
import { identify } from '../../src/identity/index.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import { verifiedRecords } from '../contract/ledger/journal.ts';
import { ManualClock } from '../support/clock.ts';
import { embedded, recovery, sampleCase, World } from '../support/ledger-world.ts';
import { seed } from '../support/seed.ts';
import { withHandle } from '../support/sqlite-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { expiresAtMs, keyOf, Model, startMs, ttlSeconds, type Content } from './model.ts';

const directory = temporaryDirectory();
const numRuns = process.env['COUNTERSIGN_FULL'] === '1' ? 400 : 25;

function caseOf({ caseId, body, version, expires }: Content) {
  return sampleCase({
    caseId,
    body,
    policy: { decisionTtlSeconds: ttlSeconds },
    object: { id: 'shared', version },
    ...(expires ? { expiresAt: new Date(expiresAtMs).toISOString() } : {}),
  });
}
/** The contents that may be named; an identity that was never admitted is one nobody knows. */
const contents: Content[] = ['T-1', 'T-2'].flatMap((caseId) =>
  ['first', 'second', 'third'].flatMap((body) =>
    [1, 2].flatMap((version) => [true, false].map((expires) => ({ caseId, body, version, expires }))),
  ),
);
const idOf = new Map(contents.map((content) => [keyOf(content), identify(caseOf(content)).operationId]));
const keyOfId = new Map([...idOf].map(([key, operationId]) => [operationId, key]));
const contentOf = new Map(contents.map((content) => [idOf.get(keyOf(content))!, content]));

/** How often each answer was seen: a test that never gets far would agree with anything. */
const seen = new Map<string, number>();
const count = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);

interface Real {
  readonly world: World;
  readonly path: string;
}

/** The time of the newest record. */
const newestMs = (path: string): number =>
  withHandle(
    path,
    (db) => db.prepare<[], { at: number | null }>('SELECT max(at_ms) AS at FROM journal').get()?.at ?? -Infinity,
  );

/** Everything the model knows must be what the ledger says. */
async function agree(model: Model, { world, path }: Real, before: number): Promise<void> {
  const stored = await world.ledger.list({ limit: 1000 });
  const expected = [...model.operations.entries()].map(([key, operation]) => ({
    key,
    state: operation.state,
    attempts: operation.attempts.length,
    proposedBy: operation.proposer,
    revisedTo: operation.revisedTo,
  }));
  expect(
    stored.map(({ operationId, state, attempts, proposedBy, revisedTo }) => ({
      key: keyOfId.get(operationId),
      state,
      attempts,
      proposedBy,
      revisedTo: revisedTo === null ? null : keyOfId.get(revisedTo),
    })),
  ).toEqual(expected);
  for (const [key, operation] of model.operations) {
    const { decision } = await world.view(idOf.get(key)!);
    expect(
      decision && { approved: decision.approved, reviewer: decision.reviewer, requestId: decision.requestId },
    ).toEqual(operation.decision);
  }
  const newest = newestMs(path);
  expect([model.lastMs, before]).toContain(newest);
  expect(newest).toBeGreaterThanOrEqual(model.lastMs);
  model.lastMs = newest;
}

/**
 * One step: what the ledger answers must be what the model answers. With a clock that is behind it must be refused, unless
 * it only reads: what was recorded is told by any clock.
 */
abstract class Step implements fc.AsyncCommand<Model, Real> {
  protected abstract readonly text: string;
  protected abstract expected(model: Model): string | null;
  protected abstract actual(real: Real): Promise<string | null>;

  check(_model: Readonly<Model>): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const nowMs = model.nowMs;
    if (model.clockIsBehind) {
      const outcome = await this.actual(real).catch((thrown: unknown) => (thrown as { code?: unknown }).code);
      expect(['clock_behind', 'repeated', 'recorded', 'completed', null]).toContain(outcome);
    } else {
      const outcome = this.expected(model);
      expect(await this.actual(real)).toBe(outcome);
      count(`${this.text.replace(/^admit .*/, 'admit')} ${outcome ?? 'done'}`.replace(/^set .*/, 'set'));
    }
    await agree(model, real, nowMs);
  }

  toString(): string {
    return this.text;
  }
}

class Admit extends Step {
  protected readonly text: string;
  private readonly content: Content;
  private readonly eventId: string | null;
  constructor(content: Content, eventId: string | null) {
    super();
    this.content = content;
    this.eventId = eventId;
    this.text = `admit ${keyOf(content)} by ${eventId ?? 'its own event'}`;
  }
  protected expected(model: Model) {
    return model.admit(this.content, this.eventId);
  }
  protected async actual({ world }: Real) {
    const content = caseOf(this.content);
    const { eventId } = this;
    return (await world.admit(eventId === null ? content : { ...content, eventId })).outcome;
  }
}

/** Names one of the operations that are there by then, the newest ones first; where there is none, one nobody knows. */
function named(model: Readonly<Model>, choice: number): string {
  const keys = [...model.operations.keys()].reverse();
  return keys[choice % Math.max(keys.length, 1)] ?? keyOf(contents[0]!);
}

/** A step about one operation. `needsKnown`: the ledger throws where there is no such operation. */
class About extends Step {
  protected text: string;
  private key = '';
  private readonly choice: number;
  private readonly needsKnown: boolean;
  private readonly inModel: (model: Model, key: string) => string | null;
  private readonly inLedger: (world: World, operationId: string) => Promise<string | null>;
  constructor(
    text: string,
    choice: number,
    needsKnown: boolean,
    inModel: (model: Model, key: string) => string | null,
    inLedger: (world: World, operationId: string) => Promise<string | null>,
  ) {
    super();
    this.text = text;
    this.choice = choice;
    this.needsKnown = needsKnown;
    this.inModel = inModel;
    this.inLedger = inLedger;
  }
  override check(model: Readonly<Model>): boolean {
    return !this.needsKnown || model.operations.size > 0;
  }
  override run(model: Model, real: Real): Promise<void> {
    this.key = named(model, this.choice);
    return super.run(model, real);
  }
  protected expected(model: Model) {
    return this.inModel(model, this.key);
  }
  protected actual({ world }: Real) {
    return this.inLedger(world, idOf.get(this.key)!);
  }
  override toString(): string {
    return `${this.text} of ${this.key}`;
  }
}

const decide = (choice: number, approved: boolean, reviewer: string, requestId: string | null) =>
  new About(
    'decide',
    choice,
    false,
    (model, key) => model.decide(key, approved, reviewer, requestId),
    async (world, id) => (await world.decide(id, { approved, reviewer, requestId })).outcome,
  );
const claim = (choice: number) =>
  new About(
    'claim',
    choice,
    true,
    (model, key) => model.claim(key),
    async (world, id) => (await world.claim(id)).outcome,
  );
const withdraw = (choice: number) =>
  new About(
    'withdraw',
    choice,
    false,
    (model, key) => model.withdraw(key),
    async (world, id) => (await world.withdraw(id)).outcome,
  );
const revise = (choice: number, caseId: string, body: string) =>
  new About(
    'revise',
    choice,
    false,
    (model, key) => model.revise(key, caseId, body, 'rita'),
    async (world, id) => {
      const content = contentOf.get(id)!;
      const revised = { ...caseOf({ ...content, body }), proposedBy: 'rita' };
      const made = { case: revised, identity: identify(revised) };
      return (await world.revise(id, body, { caseId, revise: () => made })).outcome;
    },
  );
const settle = (choice: number) =>
  new About(
    'settle',
    choice,
    true,
    (model, key) => model.settle(key),
    async (world, id) => {
      await world.ledger.settle(id);
      return null;
    },
  );
const complete = (choice: number, attempt: number, answer: ReceiverAnswer) =>
  new About(
    `complete ${answer}`,
    choice,
    true,
    (model, key) => model.complete(key, attempt, answer),
    async (world, id) => {
      await world.complete(id, attempt, answer);
      return null;
    },
  );
const observe = (choice: number, attempt: number, finding: Finding) =>
  new About(
    `observe ${finding}`,
    choice,
    true,
    (model, key) => model.observe(key, attempt, finding),
    async (world, id) => {
      await world.observe(id, attempt, finding);
      return null;
    },
  );
const resolve = (choice: number, word: Resolution) =>
  new About(
    word,
    choice,
    false,
    (model, key) => model.resolve(key, word),
    async (world, id) => (await world.resolve(id, word)).outcome,
  );

class SetObject extends Step {
  protected readonly text: string;
  private readonly version: number;
  private readonly permitted: boolean;
  constructor(version: number, permitted: boolean) {
    super();
    this.version = version;
    this.permitted = permitted;
    this.text = `set object to version ${version}, ${permitted ? 'permitted' : 'revoked'}`;
  }
  protected expected(model: Model) {
    model.object = { version: this.version, permitted: this.permitted };
    return null;
  }
  protected async actual({ world }: Real) {
    await world.ledger.setObject({
      objectId: 'shared',
      version: this.version,
      permitted: this.permitted,
      actor: 'olga',
    });
    return null;
  }
}

class Advance implements fc.AsyncCommand<Model, Real> {
  private readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, { world }: Real): Promise<void> {
    model.clockMs += this.ms;
    world.clock.advance(this.ms);
    return Promise.resolve();
  }
  toString(): string {
    return `clock ${this.ms} ms`;
  }
}

const findings: Finding[] = ['matching', 'absent', 'absent', 'absent', 'unavailable', 'conflict'];
const answers: ReceiverAnswer[] = ['created', 'exists', 'conflict'];
const words: Resolution[] = [
  'effect_happened',
  'effect_did_not_happen',
  'effect_did_not_happen',
  'ask_again',
  'abandon',
];
/** Mostly the newest operation or the one before it. */
const choice = fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 2, 3);
const attempt = fc.constantFrom(0, 1, 1, 1, 2, 2, 3);
/** Mostly what goes with the first version of the object. */
const plain = contents.filter(({ version, expires }) => version === 1 && !expires);
const content = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...plain) }, fc.constantFrom(...contents));

const likely = [
  ...[1, 2].map(() =>
    fc.tuple(content, fc.constantFrom(null, null, null, 'evt-1', 'evt-2')).map((args) => new Admit(...args)),
  ),
  ...[1, 2].map(() => choice.map((n) => decide(n, true, 'rolf', null))),
  ...[1, 2, 3, 4].map(() => choice.map(claim)),
  ...[1, 2, 3].map(() => fc.tuple(choice, attempt, fc.constantFrom(...findings)).map((args) => observe(...args))),
  fc.tuple(choice, attempt, fc.constantFrom(...answers)).map((args) => complete(...args)),
  fc.tuple(choice, fc.constantFrom(...words)).map((args) => resolve(...args)),
  ...[1, 2].map(() => fc.constantFrom(5_000, 10_000, 20_000).map((ms) => new Advance(ms))),
];
const unlikely = [
  fc
    .tuple(choice, fc.boolean(), fc.constantFrom('rita', 'rolf', 'drafter'), fc.constantFrom(null, 'update-1'))
    .map((args) => decide(...args)),
  fc
    .tuple(choice, fc.constantFrom('T-1', 'T-2'), fc.constantFrom('first', 'second', 'third'))
    .map((args) => revise(...args)),
  choice.map(withdraw),
  choice.map(settle),
  fc.tuple(fc.constantFrom(1, 1, 1, 2), fc.constantFrom(true, true, true, false)).map((args) => new SetObject(...args)),
  fc.constantFrom(1, 4_999, 60_000, 300_000, -1_000, -299_000, -301_000).map((ms) => new Advance(ms)),
];
const commands = fc.commands([...likely, ...unlikely], { maxCommands: 60, size: 'max' });
/** Where a run begins: early ones and late ones are equally interesting. */
const beginnings = fc.constantFrom<readonly (() => Step)[]>(
  [],
  [() => new Admit(plain[0]!, null)],
  [() => new Admit(plain[0]!, null), () => decide(0, true, 'rolf', null)],
  [
    () => new Admit(plain[0]!, null),
    () => decide(0, true, 'rolf', null),
    () => claim(0),
    () => new Admit(plain[3]!, null),
    () => decide(0, true, 'rolf', null),
  ],
);

const receivers: readonly (readonly [string, ReceiverDeclaration])[] = [
  ['deduplicates, authoritative', embedded],
  ['deduplicates, eventual', { ...embedded, lookup: 'eventual' }],
  ['deduplicates, no look-up', { ...embedded, lookup: 'none' }],
  ['does not deduplicate', { ...embedded, deduplicates: false }],
];

afterAll(() => {
  console.info(
    [...seen]
      .sort()
      .map(([what, times]) => `${what}: ${times}`)
      .join(', '),
  );
});

describe.each(receivers)('with a receiver that %s', (name, receiver) => {
  test('the ledger does what the model does, whatever is done in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(beginnings, commands, async (beginning, steps) => {
        // Nothing below waits for anything outside: without this, minutes would pass in which the runner is not heard.
        await immediately();
        const path = join(directory, `${randomUUID()}.db`);
        const clock = new ManualClock(startMs);
        const ledger = openSqliteLedger(path, { clock, recovery });
        const world = new World({ ledger, clock, dump: () => null, reopen: () => ledger });
        world.receiver = receiver;
        const model = new Model(receiver);
        for (const step of beginning) await step().run(model, { world, path });
        await fc.asyncModelRun(() => ({ model, real: { world, path } }), steps);
        for (const { state } of model.operations.values()) count(`ended ${state}`);
        await verifiedRecords(ledger);
        expect(await ledger.checkFile()).toEqual([]);
        ledger.close();
      }),
      // Each receiver gets sequences of its own.
      { seed: seed + receivers.findIndex(([other]) => other === name), numRuns },
    );
  });
});
