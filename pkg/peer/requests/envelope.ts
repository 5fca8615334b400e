import { InvariantError, invariant } from '../../base/index.js';
import { crc32, decodeEntry } from '../../storage/index.js';

/**
 * What a normal entry of the log holds: the origin of the proposal, and the command for the state machine.
 *
 *     form 1    origin u48 | id u48 | command
 *     form 2    2^48 - 1 u48 | form u8 | crc u32 | origin u48 | id u48 | command
 *
 * `origin` is a number that each peer draws at start, `id` counts that peer's proposals. A peer recognises its own proposals by them
 * when it applies the entries, whichever peer was leader and whichever responses were lost. `crc` covers everything after it: an entry that was
 * altered between its proposal and its apply changes nothing.
 *
 * A release reads one form more than it writes at first, so that it can be rolled back by one version. A form is written only when the
 * cluster version says that every member reads it (`membership/members.ts`).
 */
export type EnvelopeForm = 1 | 2;

/** The newest form that this program reads. */
export const ENVELOPE_FORM_MAX: EnvelopeForm = 2;

export interface Envelope {
  readonly origin: number;
  readonly id: number;
  readonly command: Uint8Array;
}

export type OpenedEnvelope =
  | { readonly kind: 'ok'; readonly origin: number; readonly id: number; readonly command: Buffer }
  | { readonly kind: 'malformed'; readonly message: string };

const U48 = 2 ** 48;
const MARK = U48 - 1;
const HEADER_BYTES = 12;
const PREFIX_BYTES = 6 + 1 + 4;

export function seal({ origin, id, command, form }: Envelope & { readonly form: EnvelopeForm }): Buffer {
  invariant(origin < MARK && id < U48, 'the origin and number of a proposal must fit 48 bits');
  const start = form === 1 ? 0 : PREFIX_BYTES;
  const bytes = Buffer.allocUnsafe(start + HEADER_BYTES + command.length);
  bytes.writeUIntLE(origin, start, 6);
  bytes.writeUIntLE(id, start + 6, 6);
  bytes.set(command, start + HEADER_BYTES);
  if (form === 1) return bytes;
  bytes.writeUIntLE(MARK, 0, 6);
  bytes[6] = form;
  bytes.writeUInt32LE(crc32(bytes.subarray(PREFIX_BYTES), 0), 7);
  return bytes;
}

/**
 * Opens an envelope. The command is a view of `data`. Total, except for a form that only a newer release can have written: this release
 * cannot know what the entry does, so it throws `InvariantError`, and the peer stops before its state differs.
 *
 * @param reads the newest form that this peer reads
 */
export function unseal(data: Uint8Array, reads: number = ENVELOPE_FORM_MAX): OpenedEnvelope {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length < HEADER_BYTES) return malformed(`an entry of ${bytes.length} bytes is too short`);
  if (bytes.readUIntLE(0, 6) !== MARK) return opened(bytes, 0);
  const form = bytes[6]!;
  if (form > reads) {
    throw new InvariantError(`an entry of form ${form} was written by a newer release: upgrade this peer`);
  }
  if (form !== 2 || bytes.length < PREFIX_BYTES + HEADER_BYTES)
    return malformed(`an entry of form ${form} is malformed`);
  if (crc32(bytes.subarray(PREFIX_BYTES), 0) !== bytes.readUInt32LE(7)) return malformed('an entry fails its checksum');
  return opened(bytes, PREFIX_BYTES);
}

/** Why a proposal of another peer must not enter the log; undefined if it may. */
export function proposalProblem(data: Uint8Array, reads: number = ENVELOPE_FORM_MAX): string | undefined {
  let envelope: OpenedEnvelope;
  try {
    envelope = unseal(data, reads);
  } catch (error) {
    return (error as Error).message;
  }
  if (envelope.kind === 'malformed') return `a proposal is malformed: ${envelope.message}`;
  const entry = decodeEntry(envelope.command);
  return entry.kind === 'malformed' ? `a proposal is malformed: ${entry.message}` : undefined;
}

function opened(bytes: Buffer, start: number): OpenedEnvelope {
  return {
    kind: 'ok',
    origin: bytes.readUIntLE(start, 6),
    id: bytes.readUIntLE(start + 6, 6),
    command: bytes.subarray(start + HEADER_BYTES),
  };
}

function malformed(message: string): OpenedEnvelope {
  return { kind: 'malformed', message };
}
