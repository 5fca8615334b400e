import { cacheLimits } from './limits.js';

/** The location of the bytes of an object. Exactly one object owns it; it moves when its slab is emptied. */
export interface Placed {
  readonly length: number;
  /** The number of long-lived holders (tree, event log). The bytes are released at 0. */
  readonly holders: number;
  place(slab: Slab, offset: number): void;
}

/**
 * A piece of memory outside the JavaScript heap that many objects share. A `Buffer` costs about 400 bytes of heap and bookkeeping in the
 * garbage collector; a slab pays this once for hundreds of objects.
 *
 * Memory is never reused in place, because sockets and lists in progress may still refer to it. A slab with few live objects is emptied by
 * copying them to the current one; the garbage collector frees it with the last reference.
 */
export interface Slab {
  readonly bytes: Buffer;
  used: number;
  live: number;
  residents: Placed[];
}

export class SlabAllocator {
  readonly #slabBytes: number;
  #current: Slab;
  #bytes = 0;

  constructor(slabBytes: number = cacheLimits.slabBytes) {
    this.#slabBytes = slabBytes;
    this.#current = newSlab(0);
  }

  /** Bytes of live objects. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Allocates `length` bytes. The caller writes to `slab.bytes` from the offset on and then calls `settle`. */
  reserve(length: number): { readonly slab: Slab; readonly offset: number } {
    if (length > this.#slabBytes / 4) {
      const slab = newSlab(length);
      slab.used = length;
      return { slab, offset: 0 };
    }
    if (this.#current.used + length > this.#current.bytes.length) this.#current = newSlab(this.#slabBytes);
    const slab = this.#current;
    const offset = slab.used;
    slab.used += length;
    return { slab, offset };
  }

  settle(slab: Slab, resident: Placed): void {
    slab.live += resident.length;
    slab.residents.push(resident);
    this.#bytes += resident.length;
  }

  /** Releases the bytes of `resident`, which has no holder any more. */
  release(slab: Slab, resident: Placed): void {
    slab.live -= resident.length;
    this.#bytes -= resident.length;
    if (slab !== this.#current && slab.live < slab.used * cacheLimits.slabLiveShareMin) this.#empty(slab);
  }

  #empty(slab: Slab): void {
    const residents = slab.residents;
    slab.residents = [];
    for (const r of residents) {
      if (r.holders === 0) continue;
      const to = this.reserve(r.length);
      const from = (r as Placed & { readonly offset: number }).offset;
      slab.bytes.copy(to.slab.bytes, to.offset, from, from + r.length);
      this.#bytes -= r.length;
      r.place(to.slab, to.offset);
      this.settle(to.slab, r);
    }
    slab.live = 0;
  }
}

function newSlab(bytes: number): Slab {
  return { bytes: Buffer.allocUnsafeSlow(bytes), used: 0, live: 0, residents: [] };
}
