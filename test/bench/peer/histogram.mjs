// Reads quantiles from the histograms of a peer. Each quantile is the upper bound of its bucket.
const QUANTILES = [0.5, 0.99, 0.999];

/** From lines of `<name>_bucket` as { le, value }, cumulative. */
export class Histogram {
  constructor(buckets) {
    this.buckets = buckets;
  }

  /** Returns the difference since `earlier`. */
  since(earlier) {
    return new Histogram(this.buckets.map(({ le, value }, i) => ({ le, value: value - earlier.buckets[i].value })));
  }

  get count() {
    return this.buckets.at(-1).value;
  }

  /** Upper bound in milliseconds. */
  at(p) {
    return Number(this.buckets.find(({ value }) => value >= this.count * p).le) * 1000;
  }

  toString() {
    return `${QUANTILES.map((p) => `p${p * 100} <= ${Number(this.at(p).toFixed(1))} ms`).join(', ')} (of ${this.count})`;
  }
}

/** Reads one histogram of a child's peer. */
export async function histogramOf(child, name) {
  const { values } = (await child.ask('metrics')).find((family) => family.name === name);
  const buckets = values.filter(({ metricName }) => metricName === `${name}_bucket`);
  return new Histogram(buckets.map(({ labels, value }) => ({ le: labels.le === '+Inf' ? Number.POSITIVE_INFINITY : labels.le, value })));
}
