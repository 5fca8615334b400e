import { ProtobufFailure, Reader } from './reader.js';
import { BackwardWriter } from './writer.js';

/** The four bytes that precede every protobuf body: `k8s` and zero. */
export const PROTOBUF_PREFIX = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** The message `Unknown` after the prefix: the type of the object, and the object. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

export type Opened =
  | { readonly ok: true; readonly envelope: Envelope }
  | { readonly ok: false; readonly message: string };

/** Adds the prefix and `Unknown` to an encoded object. Empty strings are written too, as in Go. */
export function sealEnvelope({ apiVersion, kind, raw }: Envelope): Buffer {
  return Buffer.concat([...envelopeAround(apiVersion, kind, raw.length), raw, ENVELOPE_END]);
}

/** contentEncoding and contentType are both empty. */
const ENVELOPE_END = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

/**
 * Returns the part of a body that precedes an object of `rawBytes` bytes, for bodies that are sent in pieces.
 * `envelopeEnd` follows the object.
 */
export function envelopeAround(apiVersion: string, kind: string, rawBytes: number): readonly Buffer[] {
  const w = new BackwardWriter();
  w.varint(rawBytes);
  w.byte(0x12);
  const mark = w.length();
  string(w, 2, kind);
  string(w, 1, apiVersion);
  w.varint(w.length() - mark);
  w.byte(0x0a);
  return [PROTOBUF_PREFIX, w.finish()];
}

export const envelopeEnd: Buffer = ENVELOPE_END;

function string(w: BackwardWriter, proto: number, value: string): void {
  const mark = w.length();
  w.utf8(value);
  w.varint(w.length() - mark);
  w.byte(proto * 8 + 2);
}

/** Removes the prefix and `Unknown` from a body, or returns the error with the message of kube-apiserver. */
export function openEnvelope(body: Buffer): Opened {
  if (body.length === 0) return { ok: false, message: 'empty data' };
  if (!body.subarray(0, PROTOBUF_PREFIX.length).equals(PROTOBUF_PREFIX)) {
    const expected = [...PROTOBUF_PREFIX].join(' ');
    return {
      ok: false,
      message: `provided data does not appear to be a protobuf message, expected prefix [${expected}]`,
    };
  }
  if (body.length === PROTOBUF_PREFIX.length) return { ok: false, message: 'empty body' };
  try {
    return { ok: true, envelope: readUnknown(new Reader(body.subarray(PROTOBUF_PREFIX.length))) };
  } catch (failure) {
    if (failure instanceof ProtobufFailure) return { ok: false, message: failure.message };
    throw failure;
  }
}

function readUnknown(r: Reader): Envelope {
  let apiVersion = '';
  let kind = '';
  let raw: Buffer = Buffer.alloc(0);
  while (r.at < r.end) {
    const tag = r.varint();
    if (tag === 0x0a) {
      const outer = r.enter();
      while (r.at < r.end) {
        const inner = r.varint();
        if (inner === 0x0a) apiVersion = r.text();
        else if (inner === 0x12) kind = r.text();
        else r.skip(inner);
      }
      r.leave(outer);
    } else if (tag === 0x12) raw = r.bytes();
    else if (tag < 8) r.fail(`proto: Unknown: illegal tag 0 (wire type ${tag})`);
    else r.skip(tag);
  }
  return { apiVersion, kind, raw };
}
