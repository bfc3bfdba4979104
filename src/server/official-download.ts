/** Fetches the pinned CLI from Temporal's own download address. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { messageOf } from './errors.ts';
import type { CliPin } from './pins.ts';
import { pinnedCliVersion } from './pins.ts';
import { runCommand } from './run-command.ts';

export const officialDownloadBase = 'https://temporal.download/cli/archive';

/** Short on purpose: a machine without internet must come to the next step within seconds. */
const answerTimeoutMs = 8_000;
const stallTimeoutMs = 20_000;
const wholeTimeoutMs = 300_000;
const maxArchiveBytes = 250 * 1024 * 1024;
const unpackTimeoutMs = 120_000;

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message ? cause.message : messageOf(error);
}

async function saveTo(url: string, file: string): Promise<string | null> {
  const controller = new AbortController();
  const abortAfter = (ms: number, what: string): NodeJS.Timeout =>
    setTimeout(() => controller.abort(new Error(`${what} within ${ms / 1000} s`)), ms);
  const whole = abortAfter(wholeTimeoutMs, 'not complete');
  let idle = abortAfter(answerTimeoutMs, 'no answer');
  try {
    const response = await fetch(url, { signal: controller.signal, redirect: 'follow' });
    if (!response.ok || response.body === null) return `${url} answered ${response.status}`;
    let bytes = 0;
    const watch = new Transform({
      transform(chunk: Buffer, _encoding, callback) {
        clearTimeout(idle);
        idle = abortAfter(stallTimeoutMs, 'nothing more');
        bytes += chunk.length;
        callback(bytes > maxArchiveBytes ? new Error(`more than ${maxArchiveBytes} bytes`) : null, chunk);
      },
    });
    // The DOM's stream type and Node's differ in name only.
    const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
    await pipeline(body, watch, createWriteStream(file, { mode: 0o600 }));
    return null;
  } catch (error) {
    const reason = controller.signal.aborted ? messageOf(controller.signal.reason) : causeOf(error);
    return `${url}: ${reason}`;
  } finally {
    clearTimeout(whole);
    clearTimeout(idle);
  }
}

/**
 * The archive itself is not checked: no checksum is published beside this address. What is checked, before it is ever
 * run, is the executable inside (`binarySha256`), so this step may stand before the checked wheel.
 */
export async function unpackOfficialArchive(
  pin: CliPin,
  base: string,
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<{ file: string } | { reason: string }> {
  const url = `${base}/v${pinnedCliVersion}?platform=${pin.platform}&arch=${pin.arch}`;
  const archive = join(directory, 'archive.tar.gz');
  const failed = await saveTo(url, archive);
  if (failed !== null) return { reason: failed };
  const unpacked = await runCommand('tar', ['-xzf', archive, '-C', directory, 'temporal'], {
    env,
    timeoutMs: unpackTimeoutMs,
  });
  return unpacked.ok
    ? { file: join(directory, 'temporal') }
    : { reason: `tar could not unpack it: ${unpacked.reason}` };
}
