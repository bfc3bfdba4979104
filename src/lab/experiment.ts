/** One experiment: a directory of its own, its own server and processes, bounded waits, one journal. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import Database from 'better-sqlite3';
import { childEnvironment } from '../cli/demo/environment.ts';
import { Processes, type Launched, type Program, type Service } from '../cli/demo/processes.ts';
import { operationIdOfPayload } from '../identity/index.ts';
import { freePorts } from '../server/ports.ts';
import { startDevServer, type DevServer, type TemporalCli } from '../server/index.ts';
import { journalAt, readJournal, type Note } from './journal.ts';
import type { ArmName } from './names.ts';
import { plainDestination, writeSettings, type Destination, type Fault, type ProcessSettings } from './settings.ts';

/** Bounds for what is stuck, not expectations. */
const patienceMs = 45_000;
const pauseMs = 25;

/** Short, so that a re-claim can be watched; every arm has the same two seconds until a dead worker is noticed. */
const leaseMs = 2_000;

const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const loader = (): readonly string[] => (suffix === '.ts' ? ['--import', import.meta.resolve('tsx')] : []);

export interface ExperimentOptions {
  /** Must not exist. */
  readonly directory: string;
  readonly arm: ArmName;
  readonly seed: number;
  readonly cli: TemporalCli;
  readonly destination: Partial<Destination>;
  /** Root of the sources the processes run from; another one holds a mutant. */
  readonly root: string;
}

/** An experiment that cannot go on; what was read of it is unknown. */
export class ExperimentFault extends Error {
  override readonly name = 'ExperimentFault';
}

export interface Child {
  readonly by: string;
  readonly reached: string;
  readonly release: string;
}

export class Experiment {
  readonly arm: ArmName;
  readonly seed: number;
  readonly directory: string;
  readonly state: string;
  readonly journal: string;
  readonly note: Note;
  readonly processes = new Processes({ ownSessions: true });
  /** Runs that were started, oldest first: asked about one by one, since listing them is eventually consistent. */
  readonly runs: { readonly workflowId: string; readonly runId: string }[] = [];
  private readonly options: ExperimentOptions;
  private server: DevServer | null = null;
  private port = 0;
  private connection: Connection | null = null;
  private count = 0;

  constructor(options: ExperimentOptions) {
    this.options = options;
    this.arm = options.arm;
    this.seed = options.seed;
    this.directory = options.directory;
    this.state = join(options.directory, 'state');
    this.journal = join(options.directory, 'journal.jsonl');
    mkdirSync(options.directory, { mode: 0o700 });
    mkdirSync(this.state, { mode: 0o700 });
    this.note = journalAt(this.journal, 'experiment');
  }

  async until<T>(what: string, ask: () => Promise<T | null> | T | null, boundMs = patienceMs): Promise<T> {
    for (const deadline = Date.now() + boundMs; ;) {
      const answer = await ask();
      if (answer !== null) return answer;
      if (Date.now() > deadline) throw new ExperimentFault(`${what}: not within ${boundMs / 1000} s`);
      await delay(pauseMs);
    }
  }

  /** Waits for an instant of the wall clock: a deadline that has to pass. */
  async untilTime(atMs: number): Promise<void> {
    await this.until('the deadline has passed', () => (Date.now() > atMs ? true : null));
  }

  file(name: string, content: unknown): string {
    this.count += 1;
    const path = join(this.directory, `${this.count}-${name}`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600, flag: 'wx' });
    return path;
  }

  private settings(role: string, fault: Fault | null, incompatible: boolean): { path: string; child: Child } {
    this.count += 1;
    const by = `${role}-${this.count}`;
    const at = (name: string): string => join(this.directory, `${by}.${name}`);
    const child = { by, reached: at('reached'), release: at('release') };
    const settings: ProcessSettings = {
      ...child,
      arm: this.arm,
      journal: this.journal,
      state: this.state,
      fault,
      exitCode: role === 'command' ? 17 : 42,
      destination: { ...plainDestination, ...this.options.destination },
      shown: this.shownFile,
      incompatible,
      leaseMs,
    };
    const path = at('settings.json');
    writeSettings(path, settings);
    return { path, child };
  }

  /** Whether the receiver has answered a process. */
  answeredBy(by: string): boolean {
    return readJournal(this.journal).events.some(
      (event) => event.by === by && /^effect-(?!requested)/.test(event.what),
    );
  }

  /** Whether somebody asked the destination, and was shown nothing. */
  lookedInVain(): boolean {
    return readJournal(this.journal).events.some(({ what, detail }) => what === 'looked' && detail['found'] === false);
  }

  /** Whether an attempt to carry the effect out has ended, however. */
  attemptEnded(): boolean {
    return readJournal(this.journal).events.some(
      ({ what, detail }) =>
        (what === 'activity-ended' || what === 'activity-failed') &&
        (detail['activity'] === 'execute' || detail['activity'] === 'record'),
    );
  }

  private get shownFile(): string {
    return join(this.directory, 'effects-are-shown');
  }

  /** From now on look-ups at a destination that shows late find what is there. */
  showEffects(): void {
    writeFileSync(this.shownFile, '', { mode: 0o600 });
    this.note('fault', 'effects-show-from-now-on');
  }

  private withCompanions(name: string): readonly string[] {
    return ['', '-wal', '-shm'].map((end) => join(this.state, `${name}${end}`));
  }

  /** Removes a database file of the state directory; nothing may have it open. */
  loseFile(name: string): void {
    for (const path of this.withCompanions(name)) rmSync(path, { force: true });
    this.note('fault', 'file-lost', { file: name });
  }

  /** Copies a database file that nothing has open; the returned function puts the copy back. */
  copyFile(name: string): () => void {
    const copies = this.withCompanions(name)
      .filter((path) => existsSync(path))
      .map((path) => ({ path, content: readFileSync(path) }));
    return () => {
      this.loseFile(name);
      for (const { path, content } of copies) writeFileSync(path, content, { mode: 0o600 });
      this.note('fault', 'older-copy-restored', { file: name });
    };
  }

  /** As somebody with the file in hand could: the trigger that keeps content unchanged is taken away first. */
  alterBody(operationId: string, body: string): void {
    const db = new Database(join(this.state, 'ledger.db'), { fileMustExist: true });
    try {
      db.exec('DROP TRIGGER operations_keep_their_content');
      db.prepare('UPDATE operations SET body = ? WHERE operation_id = ?').run(Buffer.from(body), operationId);
    } finally {
      db.close();
    }
    this.note('fault', 'stored-content-altered', { contentId: operationId });
  }

  private headHash(subject: string): string {
    const path = join(this.state, 'ledger.db');
    if (!existsSync(path)) return '';
    const db = new Database(path, { readonly: true, fileMustExist: true });
    try {
      const sql = 'SELECT hash FROM journal WHERE subject = ? ORDER BY sequence DESC LIMIT 1';
      return db.prepare<[string], string>(sql).pluck().get(subject) ?? '';
    } finally {
      db.close();
    }
  }

  /** Another payload under this key, recorded before anybody sends. Its witness is one that this ledger knows. */
  plantEffect(key: string, text: string): void {
    const payload = Buffer.from(text);
    const contentId = operationIdOfPayload(payload);
    const db = new Database(join(this.state, 'receiver.db'), { fileMustExist: true });
    try {
      db.prepare(
        `INSERT INTO effects (operation_id, sequence, payload, payload_sha256, attempt, ledger_id, ledger_sequence,
           ledger_hash, recorded_at_ms)
         SELECT ?, 1, ?, ?, 1, value, 0, ?, ? FROM meta WHERE key = 'ledger_id'`,
      ).run(key, payload, contentId.slice('op-v1-'.length), this.headHash(key), Date.now());
    } finally {
      db.close();
    }
    this.note('fault', 'effect-planted', { key, contentId });
  }

  private program(script: string, args: readonly string[]): Program {
    const file = join(this.options.root, 'src', 'lab', 'processes', `${script}${suffix}`);
    const own = childEnvironment(this.state, this.server, this.configFile());
    // A mutant's workflow bundle is nobody else's.
    const cache = join(this.options.root, '.cache');
    const env = this.options.root === findRoot() ? own : { ...own, XDG_CACHE_HOME: cache };
    return { file: process.execPath, args: [...loader(), file, ...args], env, shown: `${script} ${args.join(' ')}` };
  }

  /** Empty but for what the SDK insists on, in place of the user's own settings. */
  private configFile(): string {
    const path = join(this.directory, 'no-settings.toml');
    if (!existsSync(path)) writeFileSync(path, '[profile.default]\n', { mode: 0o600 });
    return path;
  }

  /** A command of the product, observed. */
  command(args: readonly string[], fault: Fault | null = null): Launched & { readonly child: Child } {
    const { path, child } = this.settings('command', fault, false);
    const driver = this.arm === 'ledger' ? ['--driver', 'application'] : [];
    return { child, ...this.processes.launch(this.program('product', [path, ...driver, '--json', ...args])) };
  }

  /** The same, without an engine whatever the arm: how a person finishes what a stuck run left behind. */
  commandWithoutEngine(args: readonly string[]): Launched {
    const { path } = this.settings('command', null, false);
    return this.processes.launch(this.program('product', [path, '--driver', 'application', '--json', ...args]));
  }

  /** A worker, ready to take tasks. */
  async worker(fault: Fault | null, incompatible = false): Promise<Service & { readonly child: Child }> {
    const { path, child } = this.settings('worker', fault, incompatible);
    const program =
      this.arm === 'both' ? this.program('product', [path, 'worker']) : this.program('platform-worker', [path]);
    const service = await this.processes.start(program, join(this.directory, `${child.by}.log`));
    this.note('engine', 'worker-started', { worker: child.by });
    return { ...service, child };
  }

  get client(): Client {
    if (!this.connection) throw new ExperimentFault('There is no server.');
    return new Client({ connection: this.connection });
  }

  /** Starts the server, again on the same port where there was one. */
  async startServer(): Promise<void> {
    this.port ||= (await freePorts(1))[0] ?? 0;
    const { cli } = this.options;
    this.server = await startDevServer({ cli, stateDir: this.state, port: this.port, headless: true });
    this.note('engine', 'server-started');
    await this.connection?.close();
    this.connection = await Connection.connect({ address: this.server.address, connectTimeout: '10 seconds' });
  }

  /** kill -9. */
  async killServer(): Promise<void> {
    if (!this.server) throw new ExperimentFault('There is no server to kill.');
    this.note('fault', 'server-killed');
    process.kill(this.server.pid, 'SIGKILL');
    await this.server.exited;
    await this.server.stop();
  }

  async close(): Promise<void> {
    await this.processes.killAll();
    await this.connection?.close();
    if (this.server) {
      try {
        process.kill(this.server.pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
      await this.server.stop();
    }
  }
}

/** The folder that holds `src`: a checkout, or the compiled package. */
export function findRoot(): string {
  return fileURLToPath(new URL('../../', import.meta.url));
}
