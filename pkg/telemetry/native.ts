/**
 * The sparse buckets of a native histogram of Prometheus. Bucket `i` of schema `s` holds the values in (2^((i-1)/2^s), 2^(i/2^s)];
 * values up to `ZERO_THRESHOLD` are in the zero bucket. Schema, threshold and number of buckets are those of kube-apiserver.
 */

/** The finest schema: eight buckets between two powers of two, each bound 9 % above the one before. */
const SCHEMA = 3;
/** 2^-128. */
export const ZERO_THRESHOLD = 2.938735877055719e-39;

/** Before one more bucket, neighbours are joined: the schema is one less from then on. All numbers fit at schema -3. */
const BUCKETS_MAX = 160;
const BUCKETS_AT_FIRST = 8;

/** Empty buckets between two others that cost less as counts than as a new span. */
const GAP_MAX = 2;

/** The bounds of `SCHEMA` in [0.5, 1). */
const FRACTIONS = [
  0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048, 0.7071067811865475, 0.7711054127039704,
  0.8408964152537144, 0.9170040432046711,
] as const;

const parts = new DataView(new ArrayBuffer(8));

/** The bucket of a value above `ZERO_THRESHOLD` at `SCHEMA`: by the exponent of the number, then by its fraction. */
function bucketOf(value: number): number {
  parts.setFloat64(0, value);
  const high = parts.getInt32(0);
  const exponent = (high >>> 20) - 1022;
  parts.setInt32(0, (high & 0xf_ffff) | (1022 << 20));
  const fraction = parts.getFloat64(0);
  let i = 0;
  while (i < FRACTIONS.length && fraction > FRACTIONS[i]!) i++;
  return (exponent - 1) * FRACTIONS.length + i;
}

/** Joins 2^`steps` neighbours. */
const coarser = (bucket: number, steps: number): number => (bucket + (1 << steps) - 1) >> steps;

/** Successive buckets: `offset` is the distance to the end of the span before; of the first one, the number of its first bucket. */
export interface BucketSpan {
  readonly offset: number;
  length: number;
}

export interface BucketSpans {
  readonly spans: readonly BucketSpan[];
  /** The count of each bucket of the spans, as the difference to the count before. */
  readonly deltas: readonly number[];
}

/** An observation costs a search among the buckets; memory is taken for a new bucket only. */
export class NativeBuckets {
  #schema = SCHEMA;
  #zeros = 0;
  /** The first `#size` are used; ascending. */
  #buckets = new Int32Array(BUCKETS_AT_FIRST);
  #counts = new Float64Array(BUCKETS_AT_FIRST);
  #size = 0;

  get schema(): number {
    return this.#schema;
  }

  /** Values up to `ZERO_THRESHOLD`. Durations and sizes are not negative. */
  get zeros(): number {
    return this.#zeros;
  }

  /** Records `n` observations of a value. */
  observe(value: number, n: number): void {
    if (!(value > ZERO_THRESHOLD)) {
      this.#zeros += n;
      return;
    }
    const finest = bucketOf(value);
    for (;;) {
      const bucket = coarser(finest, SCHEMA - this.#schema);
      const i = this.#find(bucket);
      if (i < this.#size && this.#buckets[i] === bucket) {
        this.#counts[i]! += n;
        return;
      }
      if (this.#size < BUCKETS_MAX) {
        this.#insert(i, bucket, n);
        return;
      }
      this.#join();
    }
  }

  reset(): void {
    this.#schema = SCHEMA;
    this.#zeros = 0;
    this.#size = 0;
  }

  spans(): BucketSpans {
    const spans: BucketSpan[] = [];
    const deltas: number[] = [];
    let next = 0;
    let before = 0;
    for (let i = 0; i < this.#size; i++) {
      const bucket = this.#buckets[i]!;
      const gap = bucket - next;
      let span = spans.at(-1);
      if (span === undefined || gap > GAP_MAX) {
        span = { offset: gap, length: 0 };
        spans.push(span);
      } else {
        for (let empty = 0; empty < gap; empty++) {
          deltas.push(0 - before);
          before = 0;
        }
        span.length += gap;
      }
      span.length++;
      deltas.push(this.#counts[i]! - before);
      before = this.#counts[i]!;
      next = bucket + 1;
    }
    return { spans, deltas };
  }

  /** The position of a bucket, or where it belongs. */
  #find(bucket: number): number {
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#buckets[middle]! < bucket) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(at: number, bucket: number, n: number): void {
    if (this.#size === this.#buckets.length) this.#grow();
    this.#buckets.copyWithin(at + 1, at, this.#size);
    this.#counts.copyWithin(at + 1, at, this.#size);
    this.#buckets[at] = bucket;
    this.#counts[at] = n;
    this.#size++;
  }

  #grow(): void {
    const [buckets, counts] = [this.#buckets, this.#counts];
    const length = 2 * buckets.length;
    this.#buckets = new Int32Array(length);
    this.#counts = new Float64Array(length);
    this.#buckets.set(buckets);
    this.#counts.set(counts);
  }

  /** Halves the resolution. */
  #join(): void {
    let size = 0;
    for (let i = 0; i < this.#size; i++) {
      const bucket = coarser(this.#buckets[i]!, 1);
      const count = this.#counts[i]!;
      if (size > 0 && this.#buckets[size - 1] === bucket) this.#counts[size - 1]! += count;
      else {
        this.#buckets[size] = bucket;
        this.#counts[size] = count;
        size++;
      }
    }
    this.#size = size;
    this.#schema--;
  }
}
