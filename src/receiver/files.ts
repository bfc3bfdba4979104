/**
 * The embedded receiver that can be read with `ls`: one JSON record per operation. A record is written to a fresh
 * temporary file, flushed, linked into place without overwriting, and its directory flushed (the source's write-once
 * protocol). It deduplicates, its look-up is authoritative, it remembers for ever.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, readFile, readdir, link, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CountersignError } from '../core/errors.ts';
import type { ReceiverDeclaration } from '../core/recovery.ts';
import { systemClock, type Clock } from '../ports/clock.ts';
import { noCrashPoints, type CrashPoints } from '../ports/crash-points.ts';
import type { EffectRequest, EffectWitness, Look, Receipt, Receiver, StoredEffect } from '../ports/receiver.ts';

export interface FilesReceiverOptions {
  /** The ledger that may use it. A directory that is bound to another one is refused at once. */
  readonly ledgerId: string;
  readonly clock?: Clock;
  readonly crash?: CrashPoints;
}

interface RecordFile {
  readonly operationId: string;
  readonly payloadSha256: string;
  /** The canonical frame that was approved, base64. */
  readonly payload: string;
  readonly attempt: number;
  readonly ledgerId: string;
  readonly ledgerSequence: number;
  readonly ledgerHash: string;
  readonly recordedAt: string;
}

interface Binding {
  readonly receiverId: string;
  readonly ledgerId: string;
}

const bindingName = 'receiver.json';
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const errno = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;

/** Anything the file system says, as a catalogue error; whether an effect happened stays open. */
function asReceiverError(thrown: unknown): unknown {
  if (thrown instanceof CountersignError || errno(thrown) === null) return thrown;
  const message = `The receiver's directory cannot be used (${errno(thrown) ?? ''}).`;
  return new CountersignError('receiver_unavailable', { message, cause: thrown });
}

async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** `false`: a file of that name is there already, and stays as it is. */
async function writeOnce(directory: string, name: string, text: string): Promise<boolean> {
  const temporary = join(directory, `.${randomUUID()}.tmp`);
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text, 'utf8');
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(temporary, join(directory, name));
    return true;
  } catch (thrown) {
    if (errno(thrown) === 'EEXIST') return false;
    throw thrown;
  } finally {
    await unlink(temporary);
    // Also after EEXIST: whoever linked it may have died before flushing, and our answer will rely on it.
    await flushDirectory(directory);
  }
}

async function readJson<T>(path: string): Promise<T | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if (errno(thrown) === 'ENOENT') return null;
    throw thrown;
  }
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new CountersignError('receiver_damaged', { message: `The receiver's record ${path} is damaged.`, cause });
  }
}

async function bind(directory: string, ledgerId: string): Promise<Binding> {
  const path = join(directory, bindingName);
  if (!(await readJson<Binding>(path))) {
    const fresh: Binding = { receiverId: `receiver-${randomUUID()}`, ledgerId };
    await writeOnce(directory, bindingName, `${JSON.stringify(fresh)}\n`);
  }
  const binding = await readJson<Binding>(path);
  if (binding?.ledgerId === ledgerId) return binding;
  throw new CountersignError('receiver_foreign', {
    message: `The receiver belongs to ${binding?.ledgerId ?? 'nobody'}; this ledger is ${ledgerId}.`,
  });
}

/** Identities and the random keys of naive examples alike; nothing that could name another directory. */
function recordName(operationId: string): string {
  if (/^[A-Za-z0-9-]{1,200}$/.test(operationId)) return `${operationId}.json`;
  throw new CountersignError('malformed_input', { message: 'An identity is made of letters, digits and hyphens.' });
}

const isRecord = (name: string): boolean => name.endsWith('.json') && name !== bindingName && !name.startsWith('.');

class FilesReceiver implements Receiver {
  private readonly directory: string;
  private readonly options: FilesReceiverOptions;
  private bound: Binding | null = null;
  private readonly seen = new Set<string>();
  private latest: RecordFile | null = null;

  constructor(directory: string, options: FilesReceiverOptions) {
    this.directory = directory;
    this.options = options;
  }

  /** The binding of the first use, as long as the directory is that very receiver still. */
  private async opened(): Promise<Binding> {
    if (!this.bound) return (this.bound = await bind(this.directory, this.options.ledgerId));
    const now = await readJson<Binding>(join(this.directory, bindingName));
    if (now?.receiverId === this.bound.receiverId && now.ledgerId === this.bound.ledgerId) return this.bound;
    throw new CountersignError('receiver_unavailable', {
      message: `The receiver's directory ${this.directory} was removed or replaced while this process used it.`,
      hint: 'Stop every process that uses the state directory, put the files back, and start again.',
    });
  }

  private async read(operationId: string): Promise<RecordFile | null> {
    return readJson<RecordFile>(join(this.directory, recordName(operationId)));
  }

  /** The number of records only grows: none is ever removed by this program. */
  private async names(): Promise<string[]> {
    return (await readdir(this.directory)).filter(isRecord);
  }

  async describe() {
    return guarded(async () => {
      const { receiverId } = await this.opened();
      const declaration: ReceiverDeclaration = {
        receiverId,
        deduplicates: true,
        lookup: 'authoritative',
        retentionMs: null,
      };
      const names = await this.names();
      return { declaration, sequence: names.length, newest: await this.newest(names) };
    });
  }

  /** The record with the greatest ledger sequence shows how far the ledger had come. Each record is read once. */
  private async newest(names: readonly string[]): Promise<EffectWitness | null> {
    for (const name of names) {
      if (this.seen.has(name)) continue;
      const record = await readJson<RecordFile>(join(this.directory, name));
      if (!record) continue;
      this.seen.add(name);
      if (!this.latest || record.ledgerSequence > this.latest.ledgerSequence) this.latest = record;
    }
    return this.latest && { operationId: this.latest.operationId, ledgerHash: this.latest.ledgerHash };
  }

  async commit(request: EffectRequest): Promise<Receipt> {
    return guarded(async () => {
      const { clock = systemClock, crash = noCrashPoints, ledgerId } = this.options;
      const { receiverId } = await this.opened();
      if (request.ledgerId !== ledgerId) throw new CountersignError('receiver_foreign');
      const record: RecordFile = {
        operationId: request.operationId,
        payloadSha256: sha256(request.payload),
        payload: Buffer.from(request.payload).toString('base64'),
        attempt: request.attempt,
        ledgerId: request.ledgerId,
        ledgerSequence: request.ledgerSequence,
        ledgerHash: request.ledgerHash,
        recordedAt: new Date(clock.now()).toISOString(),
      };
      const text = `${JSON.stringify(record, null, 2)}\n`;
      const created = await writeOnce(this.directory, recordName(request.operationId), text);
      crash.reach('receiver.committed');
      const sequence = (await this.names()).length;
      // A record in a directory that is not this receiver's any more is no receipt.
      await this.opened();
      if (created) return { answer: 'created', receiverId, sequence };
      const stored = await this.read(request.operationId);
      const answer = stored?.payloadSha256 === record.payloadSha256 ? 'exists' : 'conflict';
      return { answer, receiverId, sequence };
    });
  }

  async lookup(operationId: string): Promise<Look> {
    return guarded(async () => {
      const { receiverId } = await this.opened();
      const stored = await this.read(operationId);
      const sequence = (await this.names()).length;
      // What is absent from another directory may be in this receiver's.
      await this.opened();
      return { receiverId, sequence, payloadSha256: stored?.payloadSha256 ?? null };
    });
  }

  async *effects(): AsyncGenerator<StoredEffect> {
    await this.opened();
    for (const name of (await this.names()).sort()) {
      const record = await readJson<RecordFile>(join(this.directory, name));
      if (!record) continue;
      yield {
        operationId: record.operationId,
        ledgerHash: record.ledgerHash,
        payloadSha256: record.payloadSha256,
        recomputedSha256: sha256(Buffer.from(record.payload, 'base64')),
        attempt: record.attempt,
        ledgerId: record.ledgerId,
      };
    }
  }

  close(): void {
    // Nothing is held open between two calls.
  }
}

async function guarded<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    throw asReceiverError(thrown);
  }
}

/**
 * A receiver over `directory`, which is made (0700) here, so that the next process finds which kind was chosen, and bound
 * to the ledger by the first use. Throws `receiver_unavailable`.
 */
export function openFilesReceiver(directory: string, options: FilesReceiverOptions): Receiver {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw asReceiverError(thrown);
  }
  return new FilesReceiver(directory, options);
}
