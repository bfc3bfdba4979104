// Identity of the quoted sources (contract, section 1): sorted, without duplicates, then framed and hashed.
import type { EvidenceSource } from '../core/case.ts';
import { compareUtf8, digestFields, normaliseText, objectAt } from './canonical.ts';
import { InputError, type Path } from './input-error.ts';

/** A source as it is hashed; `index` is its place in the input. */
interface EvidenceRow {
  readonly sourceId: string;
  readonly version: string;
  readonly quotation: string;
  readonly index: number;
}

/** `evidence-v1-` and the digest of the selected sources, in whatever order they are given. @throws InputError */
export function evidenceId(sources: readonly EvidenceSource[]): string {
  const fields = ['decisionflow.evidence.v1'];
  for (const row of evidenceRows(sources)) fields.push(row.sourceId, row.version, row.quotation);
  return digestFields('evidence-v1-', fields);
}

/**
 * Normalised sources in the order of their UTF-8 bytes: source id, version, quotation.
 *
 * @throws InputError at the fault, or at the later of two sources that are equal after normalisation.
 */
export function evidenceRows(sources: readonly unknown[]): EvidenceRow[] {
  if (!Array.isArray(sources)) {
    throw new InputError('must be an array of sources', ['evidence'], 'Use [] for no evidence.');
  }
  const rows: EvidenceRow[] = [];
  for (let index = 0; index < sources.length; index++) rows.push(evidenceRow(sources[index], ['evidence', index]));
  rows.sort(compareRows);
  let previous: EvidenceRow | undefined;
  for (const row of rows) {
    if (previous !== undefined && compareRows(previous, row) === 0) {
      const path = ['evidence', row.index];
      throw new InputError('repeats a source, version and quotation', path, 'List each source once.');
    }
    previous = row;
  }
  return rows;
}

function evidenceRow(source: unknown, path: readonly ['evidence', number]): EvidenceRow {
  const { sourceId, version, quotation } = objectAt(source, path, 'sourceId, version, quotation');
  return {
    sourceId: normaliseText(sourceId, [...path, 'sourceId']),
    version: versionText(version, [...path, 'version']),
    quotation: normaliseText(quotation, [...path, 'quotation']),
    index: path[1],
  };
}

/** A version as it is hashed: 2 and "2" are the same version, -0 is 0. */
function versionText(version: unknown, path: Path): string {
  if (Number.isSafeInteger(version)) return String(version);
  if (typeof version !== 'string' || version === '') {
    throw new InputError('must be a non-empty string or a safe integer', path, 'For example 2 or "2026-11".');
  }
  return normaliseText(version, path);
}

function compareRows(a: EvidenceRow, b: EvidenceRow): number {
  return (
    compareUtf8(a.sourceId, b.sourceId) || compareUtf8(a.version, b.version) || compareUtf8(a.quotation, b.quotation)
  );
}
