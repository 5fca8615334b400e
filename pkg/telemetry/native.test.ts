import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { CounterFamily, Exposition, HistogramFamily } from './index.js';
import { NativeBuckets, ZERO_THRESHOLD } from './native.js';
import { encodeMetrics } from './protobuf.js';

/** The counts of the populated buckets by their number. */
function counted(native: NativeBuckets): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const { spans, deltas } = native.spans();
  let [bucket, at, count] = [0, 0, 0];
  for (const { offset, length } of spans) {
    bucket += offset;
    for (let i = 0; i < length; i++, bucket++) {
      count += deltas[at++]!;
      if (count !== 0) found.set(bucket, count);
    }
  }
  expect(at).toBe(deltas.length);
  return found;
}

/** The bounds of a bucket, by the definition of the schema. */
const upper = (bucket: number, schema: number): number => 2 ** (bucket / 2 ** schema);

/** A value in the middle of a bucket of the finest schema. */
const inside = (bucket: number): number => upper(bucket - 0.5, 3);

function observed(...values: readonly number[]): NativeBuckets {
  const native = new NativeBuckets();
  for (const value of values) native.observe(value, 1);
  return native;
}

describe('native buckets', () => {
  it('have powers of two as upper bounds, eight buckets apart', () => {
    expect([...counted(observed(0.5, 1, 2, 1024)).keys()]).toEqual([-8, 0, 8, 80]);
    expect([...counted(observed(0.500001, 1.000001)).keys()]).toEqual([-7, 1]);
  });

  it('hold their values between their bounds', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-30, max: 1e30, noNaN: true }), (value) => {
        const native = observed(value);
        const [[bucket, count] = [Number.NaN, 0]] = counted(native);
        expect(count).toBe(1);
        // The bounds computed here are rounded.
        expect(value).toBeGreaterThan(upper(bucket - 1, native.schema) * (1 - 1e-14));
        expect(value).toBeLessThanOrEqual(upper(bucket, native.schema) * (1 + 1e-14));
      }),
    );
  });

  it('count what is not above the threshold as zero', () => {
    const native = observed(0, -1e-17, ZERO_THRESHOLD, Number.MIN_VALUE, 2 * ZERO_THRESHOLD);
    expect(native.zeros).toBe(4);
    expect(counted(native).size).toBe(1);
  });

  it('bridge gaps of two buckets and begin a span after longer ones', () => {
    expect(observed(...[0, 3, 7, 7].map(inside)).spans()).toEqual({
      spans: [
        { offset: 0, length: 4 },
        { offset: 3, length: 1 },
      ],
      deltas: [1, -1, 0, 1, 1],
    });
    expect(new NativeBuckets().spans()).toEqual({ spans: [], deltas: [] });
  });

  it('are joined in pairs when there would be more than 160', () => {
    const native = new NativeBuckets();
    for (let i = 0; i < 160; i++) native.observe(inside(i), 1);
    expect([native.schema, counted(native).size]).toEqual([3, 160]);
    native.observe(inside(160), 1);
    expect(native.schema).toBe(2);
    // The first bucket has no neighbour below it.
    expect([...counted(native)]).toEqual([[0, 1], ...Array.from({ length: 80 }, (_, i) => [i + 1, 2])]);
    native.reset();
    expect([native.schema, native.zeros, counted(native).size]).toEqual([3, 0, 0]);
  });

  it('count every value, however many there are', () => {
    const all = fc.array(fc.integer({ min: -1016, max: 8184 }), { minLength: 300, maxLength: 3000 });
    fc.assert(
      fc.property(all, (buckets) => {
        const native = observed(...buckets.map(inside));
        const joined = 2 ** (3 - native.schema);
        const expected = new Map<number, number>();
        for (const bucket of [...buckets].sort((a, b) => a - b)) {
          const at = Math.ceil(bucket / joined);
          expected.set(at, (expected.get(at) ?? 0) + 1);
        }
        expect(counted(native)).toEqual(expected);
        expect(expected.size).toBeLessThanOrEqual(160);
      }),
      { numRuns: 50 },
    );
  });
});

/** The part of metrics.proto (prometheus/client_model) that is written. */
const CLIENT_MODEL = protobuf
  .parse(`
  syntax = "proto2";
  package io.prometheus.client;
  message LabelPair { optional string name = 1; optional string value = 2; }
  enum MetricType { COUNTER = 0; GAUGE = 1; SUMMARY = 2; UNTYPED = 3; HISTOGRAM = 4; GAUGE_HISTOGRAM = 5; }
  message Gauge { optional double value = 1; }
  message Counter { optional double value = 1; }
  message Bucket { optional uint64 cumulative_count = 1; optional double upper_bound = 2; }
  message BucketSpan { optional sint32 offset = 1; optional uint32 length = 2; }
  message Histogram {
    optional uint64 sample_count = 1;
    optional double sample_sum = 2;
    repeated Bucket bucket = 3;
    optional sint32 schema = 5;
    optional double zero_threshold = 6;
    optional uint64 zero_count = 7;
    repeated BucketSpan positive_span = 12;
    repeated sint64 positive_delta = 13;
  }
  message Quantile { optional double quantile = 1; optional double value = 2; }
  message Summary {
    optional uint64 sample_count = 1;
    optional double sample_sum = 2;
    repeated Quantile quantile = 3;
  }
  message Metric {
    repeated LabelPair label = 1;
    optional Gauge gauge = 2;
    optional Counter counter = 3;
    optional Summary summary = 4;
    optional Histogram histogram = 7;
  }
  message MetricFamily {
    optional string name = 1;
    optional string help = 2;
    optional MetricType type = 3;
    repeated Metric metric = 4;
  }`)
  .root.lookupType('io.prometheus.client.MetricFamily');

function decoded(bytes: Buffer): readonly Readonly<Record<string, unknown>>[] {
  const reader = protobuf.Reader.create(bytes);
  const all: Readonly<Record<string, unknown>>[] = [];
  while (reader.pos < reader.len)
    all.push(CLIENT_MODEL.toObject(CLIENT_MODEL.decodeDelimited(reader), { longs: Number, enums: String }));
  return all;
}

describe('the protobuf format', () => {
  const seconds = new HistogramFamily({ name: 'b_seconds', help: 'Seconds.' }, ['verb'], [1, 2]);
  for (const value of [0, 0.5, 1.5, 9]) seconds.observe(seconds.at('GET'), value);
  seconds.observe(seconds.at('PUT'), 2);
  const classic = {
    sampleCount: 4,
    sampleSum: 11,
    bucket: [
      { cumulativeCount: 2, upperBound: 1 },
      { cumulativeCount: 3, upperBound: 2 },
    ],
  };

  it('has the quantiles of a summary', () => {
    const values = [
      { value: 3, labels: { l: 'x', quantile: 0.5 } },
      { value: 9, labels: { l: 'x' }, metricName: 's_sum' },
      { value: 4, labels: { l: 'x' }, metricName: 's_count' },
    ];
    const summary = { name: 's', help: 'h', type: 'summary', aggregator: 'sum', values } as const;
    expect(decoded(encodeMetrics([summary], true))).toEqual([
      {
        name: 's',
        help: 'h',
        type: 'SUMMARY',
        metric: [
          {
            label: [{ name: 'l', value: 'x' }],
            summary: { sampleCount: 4, sampleSum: 9, quantile: [{ quantile: 0.5, value: 3 }] },
          },
        ],
      },
    ]);
  });

  it('has both kinds of buckets for a histogram', () => {
    const [family, ...more] = decoded(encodeMetrics([seconds.get()], true));
    expect(more).toEqual([]);
    expect(family).toMatchObject({ name: 'b_seconds', help: 'Seconds.', type: 'HISTOGRAM' });
    expect(family!['metric']).toEqual([
      {
        label: [{ name: 'verb', value: 'GET' }],
        histogram: {
          ...classic,
          schema: 3,
          zeroThreshold: ZERO_THRESHOLD,
          zeroCount: 1,
          positiveSpan: [
            { offset: -8, length: 1 },
            { offset: 12, length: 1 },
            { offset: 20, length: 1 },
          ],
          positiveDelta: [1, 0, 0],
        },
      },
      expect.objectContaining({ label: [{ name: 'verb', value: 'PUT' }] }),
    ]);
  });

  it('has classic buckets only when native histograms are switched off, or for a family without them', () => {
    const histogramOf = (bytes: Buffer) =>
      (decoded(bytes)[0] as { metric: { histogram: object }[] }).metric[0]!.histogram;
    expect(histogramOf(encodeMetrics([seconds.get()], false))).toEqual(classic);
    const old = new HistogramFamily({ name: 'old_seconds', help: 'x', onlyClassic: true }, [], [1, 2]);
    for (const value of [0, 0.5, 1.5, 9]) old.observe(old.at(), value);
    expect(histogramOf(encodeMetrics([old.get()], true))).toEqual(classic);
  });

  it('has the metrics of all sources by name, and none without series', async () => {
    const exposition = new Exposition();
    const counter = new CounterFamily({ name: 'zz_total', help: 'z' }, ['a']);
    counter.at('1').value = 7;
    exposition.add(counter, seconds, new CounterFamily({ name: 'empty_total', help: 'x' }, ['a']));
    exposition.addSource(async () => [
      { name: 'a_bytes', help: 'a', type: 'gauge', aggregator: 'sum', values: [{ value: -1.5, labels: { To: 'x' } }] },
    ]);
    const families = decoded(await exposition.scrape('protobuf'));
    const names = families.map((f) => String(f['name']));
    expect(names).toEqual([...names].sort());
    expect(names).not.toContain('empty_total');
    expect(names).toContain('process_resident_memory_bytes');
    expect(families.find((f) => f['name'] === 'zz_total')).toEqual({
      name: 'zz_total',
      help: 'z',
      type: 'COUNTER',
      metric: [{ label: [{ name: 'a', value: '1' }], counter: { value: 7 } }],
    });
    expect(families[0]).toMatchObject({ type: 'GAUGE', metric: [{ gauge: { value: -1.5 } }] });
  });
});
