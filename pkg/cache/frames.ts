import type { Revision } from '../base/index.js';
import type { StoredObject } from './object.js';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Joined frames of events. All watches at the same position share them, so callers must not write to the payload. */
export interface Frames {
  payload: Buffer;
  readonly events: number;
  /** The payload is an ERROR event. Its object is a Status in every representation. */
  readonly error?: true;
  /**
   * The payload in the framing of a transport that needs one, built once for all watches. The transport sets it, and
   * may make `payload` a view of it, so that the bytes are in memory once; the cache does not read it.
   */
  framed: Buffer | undefined;
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

  /** Joins the frames into one buffer. */
  join(): Frames {
    const payload = Buffer.allocUnsafe(this.bytes);
    let at = 0;
    for (const piece of this.#pieces) at += piece.copy(payload, at);
    return { payload, events: this.events, framed: undefined };
  }
}

/** Frames of one encoded frame. */
export const single = (frame: Buffer): Frames => ({ payload: frame, events: 1, framed: undefined });

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
