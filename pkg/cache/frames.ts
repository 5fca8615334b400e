import { invariant, type Revision } from '../base/index.js';
import type { StoredObject } from './object.js';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Frames of events, joined; shared between all watchers at the same position: never written into. */
export interface Frames {
  readonly payload: Buffer;
  /** The same bytes as one HTTP/1.1 chunk: size line, payload, CRLF. */
  readonly chunk: Buffer;
  readonly events: number;
}

/** How events are written in one form (encoding, version, table or not). Watchers with framers of equal `id` share frames. */
export interface Framer {
  readonly id: string;
  /** Bytes that `write` will take. */
  size(type: EventType, object: StoredObject): number;
  /** Writes the frame at `at`, returns the offset after it. */
  write(type: EventType, object: StoredObject, target: Buffer, at: number): number;
  /** The frame of a stream's first event, where it differs from the others (a Table has its columns there). */
  readonly first?: (type: EventType, object: StoredObject) => Buffer;
  /** `initialEnd`: it ends the initial events. */
  bookmark(revision: Revision, initialEnd: boolean, first: boolean): Buffer;
}

export interface PlannedEvent {
  readonly type: EventType;
  readonly object: StoredObject;
}

/** Joins frames into one buffer, with the HTTP/1.1 chunk around them, so that neither HTTP version copies again. */
export function join(framer: Framer, events: readonly PlannedEvent[], from: number, to: number, bytes: number): Frames {
  const head = `${bytes.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(head.length + bytes + 2);
  let at = chunk.write(head, 0);
  for (let i = from; i < to; i++) {
    const e = events[i]!;
    at = framer.write(e.type, e.object, chunk, at);
  }
  invariant(
    at === head.length + bytes,
    `framer ${framer.id} wrote ${at - head.length} bytes where it had said ${bytes}`,
  );
  chunk.write('\r\n', at);
  return { payload: chunk.subarray(head.length, at), chunk, events: to - from };
}

/** One frame that is already made. */
export function single(frame: Buffer): Frames {
  const head = `${frame.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(head.length + frame.length + 2);
  const at = chunk.write(head, 0);
  frame.copy(chunk, at);
  chunk.write('\r\n', at + frame.length);
  return { payload: chunk.subarray(at, at + frame.length), chunk, events: 1 };
}

/** How many events from `from` on go into one batch of about `maxBytes`: at least one, and never a part of a revision. */
export function plan(
  framer: Framer,
  events: readonly (PlannedEvent & { readonly revision: Revision })[],
  from: number,
  maxBytes: number,
): { readonly to: number; readonly bytes: number } {
  let bytes = 0;
  let to = from;
  while (to < events.length) {
    const e = events[to]!;
    const size = framer.size(e.type, e.object);
    if (to > from && bytes + size > maxBytes && e.revision !== events[to - 1]!.revision) break;
    bytes += size;
    to++;
  }
  return { to, bytes };
}
