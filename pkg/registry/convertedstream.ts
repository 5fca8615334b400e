import { ApiError, errors, type JsonObject } from '../api/index.js';
import type { EventType, Framer, StoredObject } from '../cache/index.js';
import { remoteVersions } from './conversion.js';
import type { ServedResource } from './kind.js';
import type { EventStream, Frames } from './requests.js';

type Pending =
  | { readonly kind: 'event'; readonly type: EventType; readonly object: StoredObject; readonly first: boolean }
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly error: boolean };

const NOTHING = Buffer.alloc(0);

/**
 * A watch of a kind with a remote converter. It takes some events of the collection, converts their objects and frames them. It buffers
 * only the events of one `take`; later events stay in the shared log.
 */
export class ConvertedStream implements EventStream {
  readonly #resource: ServedResource;
  readonly #framer: Framer;
  readonly #failed: (status: JsonObject) => Buffer;
  #inner: EventStream | undefined;
  #collected: Pending[] = [];
  #ready: Buffer[] = [];
  #events = 0;
  #converting = false;
  #failure = false;
  /** The last event of `#ready` is an ERROR event. */
  #error = false;
  #closed = false;
  #wake: () => void = () => {};

  /** `failed` builds the last event of a watch whose objects cannot be converted. */
  constructor(resource: ServedResource, framer: Framer, failed: (status: JsonObject) => Buffer) {
    this.#resource = resource;
    this.#framer = framer;
    this.#failed = failed;
  }

  /**
   * A framer for the stream of the collection that only collects objects. Its id is unique, so that no other watch
   * shares its watch frames.
   */
  collector(id: string): Framer {
    const first = this.#framer.first;
    const collect = (type: EventType, object: StoredObject, isFirst: boolean): void => {
      this.#collected.push({ kind: 'event', type, object, first: isFirst });
    };
    return {
      id,
      bookmark: (at, initialEnd, isFirst) => this.raw(this.#framer.bookmark(at, initialEnd, isFirst)),
      frame: (type, object) => {
        collect(type, object, false);
        // The size counts towards the maximum bytes of one `take`.
        return [object.json];
      },
      ...(first === undefined
        ? {}
        : {
            first: (type: EventType, object: StoredObject): Buffer => {
              collect(type, object, true);
              return NOTHING;
            },
          }),
    };
  }

  /** A bookmark, or the ERROR event of the collection: it needs no conversion, and keeps its position among the events. */
  raw(bytes: Buffer, error = false): Buffer {
    this.#collected.push({ kind: 'bytes', bytes, error });
    return NOTHING;
  }

  attach(inner: EventStream): this {
    this.#inner = inner;
    inner.onReady(() => this.#wake());
    return this;
  }

  get ended(): boolean {
    return this.#closed || (this.#inner?.ended === true && !this.#converting && this.#ready.length === 0);
  }

  take(maxBytes: number, enough?: () => boolean): Frames | undefined {
    if (this.#ready.length > 0) return this.#frames();
    if (this.#converting || this.#closed) return undefined;
    if (this.#failure) {
      this.close();
      return undefined;
    }
    const taken = this.#inner?.take(maxBytes, enough);
    if (this.#collected.length === 0) return taken;
    const pending = this.#collected;
    this.#collected = [];
    this.#converting = true;
    void this.#convert(pending);
    return undefined;
  }

  onReady(f: () => void): void {
    this.#wake = f;
  }

  bookmark(): void {
    this.#inner?.bookmark();
  }

  close(): void {
    this.#closed = true;
    this.#inner?.close();
  }

  #frames(): Frames {
    const payload = Buffer.concat(this.#ready);
    this.#ready = [];
    const events = this.#events;
    this.#events = 0;
    return { payload, events, ...(this.#error && events === 1 ? { error: true } : {}), framed: undefined };
  }

  async #convert(pending: readonly Pending[]): Promise<void> {
    try {
      const given = pending.flatMap((p) => (p.kind === 'event' ? [p.object] : []));
      const objects = [...(await remoteVersions(this.#resource, given))].reverse();
      // The events before an object that cannot be converted are delivered.
      for (const p of pending) {
        this.#ready.push(...this.#framed(p, objects));
        this.#events++;
        if (p.kind === 'bytes' && p.error) this.#error = true;
      }
    } catch (e) {
      this.#failure = true;
      this.#error = true;
      const message = e instanceof Error ? e.message : String(e);
      this.#ready.push(this.#failed(errors.internal(message).status as unknown as JsonObject));
      this.#events++;
    }
    this.#converting = false;
    this.#wake();
  }

  /** `objects`: those of the next events, the last one first. */
  #framed(p: Pending, objects: (StoredObject | ApiError)[]): readonly Buffer[] {
    if (p.kind === 'bytes') return [p.bytes];
    const object = objects.pop()!;
    if (object instanceof ApiError) throw object;
    const { first } = this.#framer;
    return p.first && first !== undefined ? [first(p.type, object)] : this.#framer.frame(p.type, object);
  }
}
