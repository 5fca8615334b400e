import type { WireSnapshotPart } from '../../../proto/index.js';
import type { SnapshotMeta } from '../../../raft/index.js';
import { crc32, type StateMachine } from '../../storage/index.js';
import { metaToWire } from '../network/codec.js';

const NONE = { begin: null, data: new Uint8Array(0), checksum: 0, end: null };

export interface SnapshotBegin {
  readonly clusterId: string;
  readonly from: number;
  readonly to: number;
  readonly term: number;
}

export function firstPart(begin: SnapshotBegin): WireSnapshotPart {
  return { ...NONE, begin };
}

/** A complete snapshot of the state of `machine`, in the parts in which it is sent. */
export async function* snapshotParts(
  begin: SnapshotBegin,
  machine: StateMachine,
  meta: SnapshotMeta,
): AsyncGenerator<WireSnapshotPart> {
  yield firstPart(begin);
  let [checksum, bytes] = [0, 0];
  for await (const data of (await machine.openSnapshot()).chunks()) {
    checksum = crc32(data, checksum);
    bytes += data.length;
    yield { ...NONE, data: Buffer.from(data), checksum };
  }
  yield { ...NONE, end: { bytes, meta: metaToWire(meta) } };
}
