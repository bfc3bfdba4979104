// Splits the canonical frame of an operation back into its fields: what a receiver or an auditor holds is enough to read
// the operation without the ledger (contract, section 1).
import { normaliseText } from './canonical.ts';
import { InputError, type Path } from './input-error.ts';
import { OPERATION_PROTOCOL } from './operation.ts';

/** The six fields of the frame, in their order. `body` is the canonical text. */
export interface OperationFields {
  readonly protocol: string;
  readonly caseId: string;
  readonly action: string;
  readonly body: string;
  readonly evidenceId: string;
  readonly policyId: string;
}

const NAMES = ['protocol', 'caseId', 'action', 'body', 'evidenceId', 'policyId'] as const;
const HINT = 'Payloads are the exact bytes that identify() returned.';
// Without ignoreBOM the decoder would drop a leading U+FEFF, which is content.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * @throws InputError unless the bytes are exactly one canonical operation frame: six fields with true lengths and
 * nothing after them, well-formed UTF-8 with LF line ends and no U+0000, the known protocol, ids of the right form.
 * The pointer names the field, "" the frame.
 */
export function parsePayload(payload: Uint8Array): OperationFields {
  const fields: string[] = [];
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  let offset = 0;
  for (const name of NAMES) {
    if (offset + 4 > payload.length) throw refused(`ends before the field ${name}`, []);
    const end = offset + 4 + view.getUint32(offset);
    if (end > payload.length) throw refused('has a shorter field than its length says', [name]);
    fields.push(canonicalField(payload.subarray(offset + 4, end), [name]));
    offset = end;
  }
  if (offset !== payload.length) throw refused('goes on after its last field', []);
  const [protocol, caseId, action, body, evidenceId, policyId] = fields as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  if (protocol !== OPERATION_PROTOCOL) throw refused('is of another protocol', ['protocol']);
  if (!/^evidence-v1-[0-9a-f]{64}$/.test(evidenceId)) throw refused('is no evidence identity', ['evidenceId']);
  if (!/^policy-v1-[0-9a-f]{64}$/.test(policyId)) throw refused('is no policy identity', ['policyId']);
  return { protocol, caseId, action, body, evidenceId, policyId };
}

function canonicalField(bytes: Uint8Array, path: Path): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw refused('is not UTF-8', path);
  }
  if (normaliseText(text, path) !== text) throw refused('has a line end that is not LF', path);
  return text;
}

function refused(reason: string, path: Path): InputError {
  return new InputError(reason, path, HINT, 'the payload');
}
