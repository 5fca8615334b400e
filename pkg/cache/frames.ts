import type { Revision } from '../base/index.js';
import type { StoredObject } from './object.js';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Joined frames of events. All watches at the same position share them, so callers must not write to them. */
export interface Frames {
  readonly payload: Buffer;
  /** The same bytes as one HTTP/1.1 chunk: size line, payload, CRLF. */
  readonly chunk: Buffer;
  readonly events: number;
}

/** Encodes events in one form (encoding, version, Table or not). Watches whose framers have the same `id` share frames. */
export interface Framer {
  readonly id: string;
  /** Returns the frame of one event in consecutive pieces. */
  frame(type: EventType, object: StoredObject): readonly Buffer[];
  /** Returns the frame of the first event of a stream, if it differs (the first Table has the columns). */
  readonly first?: (type: EventType, object: StoredObject) => Buffer;
  /** `initialEnd`: the bookmark ends the initial events. */
  bookmark(revision: Revision, initialEnd: boolean, first: boolean): Buffer;
}

export interface PlannedEvent {
  readonly type: EventType;
  readonly object: StoredObject;
}

/** Collects the frames of one batch. */
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

  /** Joins the frames into one buffer inside an HTTP/1.1 chunk, so that neither HTTP version copies them again. */
  join(): Frames {
    const head = `${this.bytes.toString(16)}\r\n`;
    const chunk = Buffer.allocUnsafe(head.length + this.bytes + 2);
    let at = chunk.write(head, 0);
    for (const piece of this.#pieces) at += piece.copy(chunk, at);
    chunk.write('\r\n', at);
    return { payload: chunk.subarray(head.length, at), chunk, events: this.events };
  }
}

/** Frames of one encoded frame. */
export function single(frame: Buffer): Frames {
  const head = `${frame.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(head.length + frame.length + 2);
  const at = chunk.write(head, 0);
  frame.copy(chunk, at);
  chunk.write('\r\n', at + frame.length);
  return { payload: chunk.subarray(at, at + frame.length), chunk, events: 1 };
}

/** Returns the events from `from` on that form one batch of about `maxBytes`: at least one, and all events of a revision together. */
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
