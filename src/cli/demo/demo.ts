/** Command `demo`: the story of one approved operation on a Temporal server of its own, and whether it came true. */
import process from 'node:process';
import { ExitCodes } from '../../core/outcomes.ts';
import { findTemporalCli, startDevServer, type DevServer } from '../../server/index.ts';
import { action } from '../command.ts';
import type { Context } from '../context.ts';
import { exitCodeOfChecks, Observations } from './checks.ts';
import { expectations } from './expectations.ts';
import { Narrator } from './narrator.ts';
import { endServer, Processes } from './processes.ts';
import { checksTable, makeEvidenceDirectory, readRecords, versions, writeEvidence, type Evidence } from './report.ts';
import { makeScratch, type Scratch } from './scratch.ts';
import { Stage } from './stage.ts';
import { StoryFault } from './story-fault.ts';
import { tellApplication } from './story/application.ts';
import { tellLostReceipt, tellRecovery, type Unchanged } from './story/lost-receipt.ts';
import { beginNaive } from './story/naive.ts';
import { tellRefusals } from './story/refusals.ts';
import { tellRevision } from './story/revision.ts';

interface DemoOptions {
  readonly state?: string;
  readonly keep?: boolean;
  readonly out: string;
}

/** What a shell reports for a process that a signal ended. */
const exitCodeOfSignal = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof exitCodeOfSignal;

interface Interruption {
  readonly signal: () => StopSignal | null;
  /** Fails when a signal comes. */
  readonly stopped: Promise<never>;
  /** After the clean-up: ends this process by the signal, as whoever sent it expects. */
  readonly end: () => void;
}

/** The first signal ends what runs; the story stops there, and everything is cleaned up as at its end. */
function onInterruption(processes: Processes): Interruption {
  let received: StopSignal | null = null;
  let stop: (fault: StoryFault) => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => (stop = reject));
  stopped.catch(() => undefined);
  const handlers = (Object.keys(exitCodeOfSignal) as StopSignal[]).map((name) => {
    const handler = (): void => {
      received ??= name;
      stop(new StoryFault('stopped'));
      void processes.endAll();
    };
    process.on(name, handler);
    return () => process.removeListener(name, handler);
  });
  const end = (): void => {
    for (const forget of handlers) forget();
    if (received !== null) process.kill(process.pid, received);
  };
  return { signal: () => received, stopped, end };
}

interface Ending {
  readonly stopped: string | null;
  readonly repeatedApproval: Unchanged | null;
}

async function tell(stage: Stage): Promise<Ending> {
  let repeatedApproval: Unchanged | null = null;
  try {
    const armed = await tellRefusals(stage);
    await tellLostReceipt(stage, armed);
    const tellNaive = beginNaive(stage);
    repeatedApproval = await tellRecovery(stage);
    await tellRevision(stage);
    await tellNaive();
    await tellApplication(stage);
    return { stopped: null, repeatedApproval };
  } catch (thrown) {
    return { stopped: thrown instanceof Error ? thrown.message : String(thrown), repeatedApproval };
  }
}

function announce(
  narrator: Narrator,
  known: Readonly<Record<string, string>>,
  server: DevServer,
  scratch: Scratch,
): void {
  narrator.rest();
  const { node, temporalServer, temporalCli, temporalSdk } = known;
  narrator.say('One operation that a person approves, through a crash, on a Temporal server of its own.');
  narrator.say(`Node ${node}, Temporal server ${temporalServer} (CLI ${temporalCli}), SDK ${temporalSdk}.`);
  narrator.say(`TEMPORAL_ADDRESS=${server.address} COUNTERSIGN_STATE=${scratch.review.directory}\n`);
}

interface Performance {
  readonly context: Context;
  readonly scratch: Scratch;
  readonly processes: Processes;
  readonly interruption: Interruption;
}

/** Runs the story; everything it started has ended when this returns or throws. */
async function perform({ context, scratch, processes, interruption }: Performance): Promise<Evidence> {
  const began = Date.now();
  const narrator = new Narrator(context.out.json);
  const observations = new Observations(expectations);
  let server: DevServer | null = null;
  try {
    const log = (line: string): void => context.out.note(line);
    const cli = await Promise.race([findTemporalCli({ env: context.env, log }), interruption.stopped]);
    narrator.working('Starting a Temporal server');
    server = await startDevServer({ cli, stateDir: scratch.review.directory, headless: true });
    const known = versions(server);
    announce(narrator, known, server, scratch);
    // Empty but for what the SDK insists on, in place of the user's own settings.
    const configFile = scratch.write('no-settings.toml', '[profile.default]\n');
    const stage = new Stage({ scratch, server, processes, observations, configFile }, narrator);
    const { stopped, repeatedApproval } = await tell(stage);
    const checks = observations.checks();
    return {
      agree: stopped === null && exitCodeOfChecks(checks) === ExitCodes.done,
      stopped,
      startedAt: new Date(began).toISOString(),
      seconds: Math.round((Date.now() - began) / 100) / 10,
      versions: known,
      checks,
      steps: stage.told,
      processes: processes.records,
      repeatedApproval,
      records: readRecords(scratch),
    };
  } finally {
    narrator.rest();
    await processes.endAll();
    if (server) await endServer(server);
  }
}

function endingText({ checks, stopped, seconds }: Evidence, path: string, kept: string | null): string {
  const agreeing = checks.filter(({ agree }) => agree).length;
  return [
    checksTable(checks),
    ...(stopped === null ? [] : [`The story stopped: ${stopped}`]),
    ...(kept === null ? [] : [`Kept: ${kept}`]),
    `${agreeing} of ${checks.length} checks agree, in ${seconds} s. Evidence: ${path}`,
  ].join('\n');
}

export const demo = action<DemoOptions, []>(async ({ context }, { state, keep, out }) => {
  const scratch = makeScratch(state);
  const processes = new Processes();
  const interruption = onInterruption(processes);
  try {
    const directory = makeEvidenceDirectory(out);
    const evidence = await perform({ context, scratch, processes, interruption }).catch((thrown: unknown) => {
      if (interruption.signal() === null) throw thrown;
      return null;
    });
    const signal = interruption.signal();
    if (signal !== null || evidence === null) {
      context.out.note('Stopped. What it had started has ended.');
      return signal === null ? ExitCodes.internal : exitCodeOfSignal[signal];
    }
    const path = writeEvidence(directory, evidence);
    const kept = keep ? scratch.directory : null;
    context.out.answer({ ...evidence, evidence: path, kept }, () => endingText(evidence, path, kept));
    return evidence.agree ? ExitCodes.done : ExitCodes.internal;
  } finally {
    if (!keep) scratch.remove();
    interruption.end();
  }
});
