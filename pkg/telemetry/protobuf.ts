import protobuf, { type Writer } from 'protobufjs/minimal.js';
import { type NativeBuckets, ZERO_THRESHOLD } from './native.js';
import type { ScrapedMetric, ScrapedValue } from './series.js';

/**
 * The protobuf exposition format of Prometheus: each metric is a message `io.prometheus.client.MetricFamily`, preceded by its length.
 * The names below are those of the fields in `metrics.proto` of prometheus/client_model.
 */

const LENGTH_DELIMITED = 2;
const FIXED64 = 1;
const VARINT = 0;

const FAMILY = { name: 1, help: 2, type: 3, metric: 4 } as const;
const TYPES = { counter: 0, gauge: 1, summary: 2, histogram: 4 } as const;
const METRIC = { label: 1, gauge: 2, counter: 3, summary: 4, histogram: 7 } as const;
const LABEL = { name: 1, value: 2 } as const;
const NUMBER = { value: 1 } as const;
const BUCKET = { cumulativeCount: 1, upperBound: 2 } as const;
const SUMMARY = { sampleCount: 1, sampleSum: 2, quantile: 3 } as const;
const QUANTILE = { quantile: 1, value: 2 } as const;
const SPAN = { offset: 1, length: 2 } as const;
const HISTOGRAM = {
  sampleCount: 1,
  sampleSum: 2,
  bucket: 3,
  schema: 5,
  zeroThreshold: 6,
  zeroCount: 7,
  positiveSpan: 12,
  positiveDelta: 13,
} as const;

/** Encodes metrics. Native buckets are omitted unless `native`; a metric without series has no message, as in client_golang. */
export function encodeMetrics(metrics: readonly ScrapedMetric[], native: boolean): Buffer {
  const w = protobuf.Writer.create();
  for (const metric of metrics) if (metric.values.length > 0) writeFamily(w.fork(), metric, native).ldelim();
  return Buffer.from(w.finish());
}

function writeFamily(w: Writer, metric: ScrapedMetric, native: boolean): Writer {
  text(w, FAMILY.name, metric.name);
  text(w, FAMILY.help, metric.help);
  tag(w, FAMILY.type, VARINT).int32(TYPES[metric.type]);
  if (metric.type === 'histogram') {
    for (const [i, series] of seriesOf(metric).entries())
      message(w, FAMILY.metric, () => writeHistogram(w, series, native ? metric.native?.[i] : undefined));
    return w;
  }
  if (metric.type === 'summary') {
    for (const series of seriesOf(metric)) message(w, FAMILY.metric, () => writeSummary(w, series));
    return w;
  }
  const field = METRIC[metric.type];
  for (const { labels, value } of metric.values)
    message(w, FAMILY.metric, () => {
      writeLabels(w, labels);
      message(w, field, () => double(w, NUMBER.value, value));
    });
  return w;
}

interface SeriesWithCount {
  /** The quantiles of a summary; the buckets of a histogram without the one that has no bound, whose count is that of the series. */
  readonly buckets: readonly ScrapedValue[];
  readonly sum: number;
  readonly count: ScrapedValue;
}

/** The series of a histogram or summary: a series ends with its count. */
function seriesOf({ name, values }: ScrapedMetric): readonly SeriesWithCount[] {
  const all: SeriesWithCount[] = [];
  let buckets: ScrapedValue[] = [];
  let sum = 0;
  for (const value of values) {
    if (value.metricName === `${name}_sum`) sum = value.value;
    else if (value.metricName === `${name}_count`) {
      all.push({ buckets, sum, count: value });
      buckets = [];
    } else if (value.labels['le'] !== '+Inf') buckets.push(value);
  }
  return all;
}

function writeHistogram(w: Writer, { buckets, sum, count }: SeriesWithCount, native: NativeBuckets | undefined): void {
  writeLabels(w, count.labels);
  message(w, METRIC.histogram, () => {
    tag(w, HISTOGRAM.sampleCount, VARINT).uint64(count.value);
    double(w, HISTOGRAM.sampleSum, sum);
    for (const { value, labels } of buckets)
      message(w, HISTOGRAM.bucket, () => {
        tag(w, BUCKET.cumulativeCount, VARINT).uint64(value);
        double(w, BUCKET.upperBound, Number(labels['le']));
      });
    if (native !== undefined) writeNative(w, native);
  });
}

function writeSummary(w: Writer, { buckets, sum, count }: SeriesWithCount): void {
  writeLabels(w, count.labels);
  message(w, METRIC.summary, () => {
    tag(w, SUMMARY.sampleCount, VARINT).uint64(count.value);
    double(w, SUMMARY.sampleSum, sum);
    for (const { value, labels } of buckets)
      message(w, SUMMARY.quantile, () => {
        double(w, QUANTILE.quantile, Number(labels['quantile']));
        double(w, QUANTILE.value, value);
      });
  });
}

function writeNative(w: Writer, native: NativeBuckets): void {
  tag(w, HISTOGRAM.schema, VARINT).sint32(native.schema);
  double(w, HISTOGRAM.zeroThreshold, ZERO_THRESHOLD);
  tag(w, HISTOGRAM.zeroCount, VARINT).uint64(native.zeros);
  const { spans, deltas } = native.spans();
  for (const { offset, length } of spans)
    message(w, HISTOGRAM.positiveSpan, () => {
      tag(w, SPAN.offset, VARINT).sint32(offset);
      tag(w, SPAN.length, VARINT).uint32(length);
    });
  for (const delta of deltas) tag(w, HISTOGRAM.positiveDelta, VARINT).sint64(delta);
}

function writeLabels(w: Writer, labels: ScrapedValue['labels']): void {
  for (const [name, value] of Object.entries(labels))
    message(w, METRIC.label, () => {
      text(w, LABEL.name, name);
      text(w, LABEL.value, String(value));
    });
}

const tag = (w: Writer, field: number, wireType: number): Writer => w.uint32((field << 3) | wireType);

function message(w: Writer, field: number, write: () => void): void {
  tag(w, field, LENGTH_DELIMITED).fork();
  write();
  w.ldelim();
}

const text = (w: Writer, field: number, value: string): Writer => tag(w, field, LENGTH_DELIMITED).string(value);
const double = (w: Writer, field: number, value: number): Writer => tag(w, field, FIXED64).double(value);
