import type { Revision } from '../base/index.js';
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
  /** The frame of one event, in pieces that belong together and are copied at once. */
  frame(type: EventType, object: StoredObject): readonly Buffer[];
  /** The frame of a stream's first event, where it differs from the others (a Table has its columns there). */
  readonly first?: (type: EventType, object: StoredObject) => Buffer;
  /** `initialEnd`: it ends the initial events. */
  bookmark(revision: Revision, initialEnd: boolean, first: boolean): Buffer;
}

export interface PlannedEvent {
  readonly type: EventType;
  readonly object: StoredObject;
}

/** Frames that go out together, as they are collected. */
export class Batch {
  readonly #framer: Framer;
  readonly #pieces: Buffer[] = [];
  bytes = 0;
  events = 0;

  constructor(framer: Framer) {
    this.#framer = framer;
  }

  add({ type, object }: PlannedEvent): void {
    for (const piece of this.#framer.frame(type, object)) {
      this.#pieces.push(piece);
      this.bytes += piece.length;
    }
    this.events++;
  }

  /** Joined into one buffer, with the HTTP/1.1 chunk around it, so that neither HTTP version copies again. */
  join(): Frames {
    const head = `${this.bytes.toString(16)}\r\n`;
    const chunk = Buffer.allocUnsafe(head.length + this.bytes + 2);
    let at = chunk.write(head, 0);
    for (const piece of this.#pieces) at += piece.copy(chunk, at);
    chunk.write('\r\n', at);
    return { payload: chunk.subarray(head.length, at), chunk, events: this.events };
  }
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

/** The events from `from` on that go out in one batch of about `maxBytes`: at least one, and never a part of a revision. */
export function plan(
  framer: Framer,
  events: readonly (PlannedEvent & { readonly revision: Revision })[],
  from: number,
  maxBytes: number,
): Batch {
  const batch = new Batch(framer);
  for (let i = from; i < events.length; i++) {
    const e = events[i]!;
    if (i > from && batch.bytes >= maxBytes && e.revision !== events[i - 1]!.revision) break;
    batch.add(e);
  }
  return batch;
}
