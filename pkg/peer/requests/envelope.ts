import { invariant } from '../../base/index.js';

/**
 * What a normal entry of the log holds: who asked for it, and what the state machine shall do.
 *
 *     origin u48 | id u48 | command
 *
 * `origin` is a number that each peer draws at start, `id` counts that peer's proposals. With them a peer
 * recognises its own proposals when it applies them, whoever was leader and whatever answers got lost on the way.
 */
const HEADER = 12;
const U48 = 2 ** 48;

export interface Envelope {
  readonly origin: number;
  readonly id: number;
  readonly command: Buffer;
}

export function seal(origin: number, id: number, command: Uint8Array): Buffer {
  invariant(origin < U48 && id < U48, 'the origin and number of a proposal must fit 48 bits');
  const bytes = Buffer.allocUnsafe(HEADER + command.length);
  bytes.writeUIntLE(origin, 0, 6);
  bytes.writeUIntLE(id, 6, 6);
  bytes.set(command, HEADER);
  return bytes;
}

/** The command is a view of `data`. */
export function unseal(data: Uint8Array): Envelope {
  invariant(data.length >= HEADER, 'an entry of the log is too short to say who asked for it');
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return { origin: bytes.readUIntLE(0, 6), id: bytes.readUIntLE(6, 6), command: bytes.subarray(HEADER) };
}
