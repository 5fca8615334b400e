import { cacheLimits } from './limits.js';

/** Where an object's bytes lie. Owned by exactly one object; moved when its slab is emptied. */
export interface Placed {
  readonly length: number;
  /** How many long-lived holders (tree, event log) there are; 0 lets the bytes go. */
  readonly holders: number;
  place(slab: Slab, offset: number): void;
}

/**
 * A piece of memory outside the JavaScript heap that many objects share. One `Buffer` per object costs some 400 bytes of
 * heap and bookkeeping in the collector each; a slab costs that once for hundreds of objects.
 *
 * Memory is never reused in place: buffers that were handed out (to sockets, to lists under way) may still look at it. A slab
 * whose objects have mostly gone is emptied by copying the rest elsewhere, and freed by the collector when nobody looks at it
 * any more.
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

  /** Bytes of living objects. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Room for `length` bytes; the caller writes `slab.bytes` from the offset on and then calls `settle`. */
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

  /** `resident` has no holder any more. */
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
