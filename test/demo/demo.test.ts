/** The demonstration is itself a test of the whole; here it is checked that it checks, reports and cleans up. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/temporal.ts';
import { isAlive, startDemo, temporaryDirectory } from './run-demo.ts';

const boundMs = 300_000;

const recorded = 'op-v1-3e2abe2478d94ceb908d0cb7c42218c72dd97f760399dedd39178dada75de9e1';

/** Written down once more, past the code under test. */
const promised = {
  'begin.exit': 0,
  'begin.outcome': 'admitted',
  'begin.run': 'RUNNING',
  'source.exit': 0,
  'source.identity': recorded,
  'stale.refusal': 'stale_proposal',
  'stale.decisions': 0,
  'stale.effects': 0,
  'no-boolean.refusal': 'malformed_input',
  'no-boolean.decisions': 0,
  'no-boolean.effects': 0,
  'lost.worker': 42,
  'lost.decisions': 1,
  'between.run': 'RUNNING',
  'between.state': 'Executing',
  'between.effects': 1,
  'recovered.status': 'Committed',
  'recovered.finding': 'matching',
  'recovered.effects': 1,
  'recovered.attempts': 1,
  'recovered.bytes': true,
  'again.exit': 0,
  'again.outcome': 'repeated',
  'again.changes': 0,
  'decline.exit': 5,
  'decline.outcome': 'conflicting_decision',
  'decline.decision': 'approved by alice',
  'decline.effects': 1,
  'revision.new': true,
  'revision.old.exit': 3,
  'revision.old.outcome': 'stale_proposal',
  'revision.state': 'Completed',
  'revision.effects': '0 and 1',
  'naive.worker': 42,
  'naive.status': 'COMPLETED',
  'naive.claim': 1,
  'naive.effects': 2,
  'naive.payloads': 1,
  'application.server': false,
  'application.exit': 17,
  'application.state': 'Executing',
  'application.lost': 1,
  'application.first': 'Committed',
  'application.second': 'Committed',
  'application.changes': 0,
  'application.completed': 'Completed',
  'application.effects': 1,
  'application.attempts': 1,
};

interface Answer {
  readonly agree: boolean;
  readonly stopped: string | null;
  readonly checks: readonly { name: string; expected: unknown; observed: unknown; agree: boolean }[];
  readonly versions: Readonly<Record<string, string>>;
  readonly steps: readonly { happened: string; proof: string; commands: readonly string[] }[];
  readonly processes: readonly { pid: number; command: string }[];
  readonly repeatedApproval: { readonly before: unknown; readonly after: unknown };
  readonly records: Readonly<
    Record<'review' | 'naive' | 'application', Readonly<Record<string, Readonly<Record<string, unknown>>[]>>>
  >;
  readonly evidence: string;
}

describe('countersign demo', { timeout: boundMs }, () => {
  it('tells the whole story in its own processes, agrees with every check, keeps the evidence and cleans up', async () => {
    const directory = temporaryDirectory();
    const state = join(directory, 'state');
    const { exitCode, stdout, stderr } = await startDemo(['--json', '--state', state, '--out', directory]).ended;
    const answer = JSON.parse(stdout) as Answer;

    expect(answer.stopped, stderr).toBeNull();
    expect(Object.fromEntries(answer.checks.map(({ name, observed }) => [name, observed]))).toEqual(promised);
    expect(answer.checks.filter(({ agree }) => !agree)).toEqual([]);
    expect(answer.agree).toBe(true);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');

    expect(answer.steps).toHaveLength(13);
    for (const step of answer.steps) {
      expect(step.happened).not.toBe('');
      expect(step.proof).not.toBe('');
      expect(step.commands).not.toHaveLength(0);
    }
    const pids = answer.processes.map(({ pid }) => pid);
    expect(new Set(pids).size).toBe(pids.length);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(state)).toBe(false);

    const kept = JSON.parse(readFileSync(join(directory, 'correctness.json'), 'utf8')) as Answer;
    const { evidence, ...said } = answer;
    expect(evidence).toBe(join(directory, 'correctness.json'));
    expect(said).toMatchObject(kept);
    expect(Object.keys(kept.versions).sort()).toEqual(
      ['countersign', 'node', 'platform', 'sqlite', 'temporalCli', 'temporalSdk', 'temporalServer'].sort(),
    );
    expect(kept.repeatedApproval.after).toEqual(kept.repeatedApproval.before);
    expect(kept.records.review['effects']).toHaveLength(2);
    expect(kept.records.review['decisions']).toHaveLength(2);
    expect(kept.records.application['observations']?.map(({ finding }) => finding)).toEqual(['matching']);
    expect(kept.records.naive['effects']?.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(JSON.stringify(kept)).not.toMatch(/firmware|diagnostic export|fan noise|tomorrow/);
  });

  it('refuses a directory that exists, and leaves it as it was', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'ledger.db'), 'somebody’s own');
    const { exitCode, stdout } = await startDemo(['--json', '--state', directory]).ended;

    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } });
    expect(readdirSync(directory)).toEqual(['ledger.db']);
    expect(readFileSync(join(directory, 'ledger.db'), 'utf8')).toBe('somebody’s own');
  });

  it('ends everything it started when it is told to stop, and removes its directory', async () => {
    const directory = temporaryDirectory();
    const state = join(directory, 'state');
    const demo = startDemo(['--state', state, '--out', directory]);
    const record = join(state, 'review', 'server.json');
    await eventually('a worker runs', () => existsSync(join(state, 'review', 'worker.log')), boundMs);
    const { server } = JSON.parse(readFileSync(record, 'utf8')) as { server: { pid: number } };
    demo.child.kill('SIGTERM');
    const { signal } = await demo.ended;

    expect(signal).toBe('SIGTERM');
    expect(existsSync(state)).toBe(false);
    expect(isAlive(server.pid)).toBe(false);
    expect(existsSync(join(directory, 'correctness.json'))).toBe(false);
  });
});
