import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { finish } from '../base/index.js';
import { answerSteps, encodeAnswer, partialMetadata, prettySteps, prettyText } from './answer.js';
import { readCbor } from './cbor/read.js';
import { encodeCbor } from './cbor/write.js';
import { encodeJson } from './json/encode.js';
import { cborList, jsonItemOffset, jsonListHead, protobufItemBytes, protobufList } from './list.js';
import { decodeProtobuf } from './protobuf/decode.js';
import { encodeProtobuf } from './protobuf/encode.js';
import { openEnvelope, sealEnvelope } from './protobuf/envelope.js';
import { kindNamed } from './testing.js';
import { cborWatchFraming, jsonWatchFraming, protobufWatchFraming, watchFrame, websocketFramings } from './watch.js';

const configMap = kindNamed('ConfigMap');
const object = (n: number): JsonObject => ({ metadata: { name: 'a' }, data: { k: 'x'.repeat(n) } });
const typed = (n: number): JsonObject => ({ kind: 'ConfigMap', apiVersion: 'v1', ...object(n) });
const SIZES = [0, 1, 100, 200, 20_000, 3_000_000];

describe('watch frames', () => {
  it('are JSON lines', () => {
    const json = encodeJson(configMap.schema, typed(3));
    expect(watchFrame(jsonWatchFraming, 'MODIFIED', json).toString()).toBe(
      '{"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"xxx"}}}\n',
    );
  });

  it.each(SIZES)('are length-delimited WatchEvents in protobuf, with objects of %d bytes', (n) => {
    const body = sealEnvelope({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      raw: encodeProtobuf(configMap.schema, object(n)),
    });
    const frame = watchFrame(protobufWatchFraming, 'ADDED', body);
    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    // The expected message: 0a 05 ADDED 12 len 0a len body.
    expect(frame.subarray(4, 11)).toEqual(Buffer.from('\n\x05ADDED', 'latin1'));
    expect(frame.subarray(frame.length - body.length).equals(body)).toBe(true);
    const opened = openEnvelope(frame.subarray(frame.length - body.length));
    expect(opened.ok && decodeProtobuf(configMap.schema, opened.envelope.raw)).toMatchObject({ ok: true });
  });

  it.each(SIZES)('are items of a CBOR sequence, with objects of %d bytes', (n) => {
    const frame = watchFrame(cborWatchFraming, 'DELETED', encodeCbor(configMap.schema, typed(n)));
    expect(readCbor(frame)).toEqual({ ok: true, value: { type: 'DELETED', object: typed(n) } });
  });

  it.each([
    ['json', jsonWatchFraming, 0, 0x81],
    ['protobuf', protobufWatchFraming, 4, 0x82],
    ['cbor', cborWatchFraming, 0, 0x82],
  ] as const)(
    'become WebSocket messages of one frame each, of every length: %s',
    (encoding, framing, length, first) => {
      const lengths = new Set<number>();
      for (const n of [0, 60, 61, 62, 100, 125, 126, 65_000, 65_535, 65_536, 3_000_000]) {
        const object = Buffer.alloc(n, 'o');
        const frame = watchFrame(websocketFramings[encoding], 'ADDED', object);
        const message = watchFrame(framing, 'ADDED', object).subarray(length);
        expect(frame[0]).toBe(first);
        const [said, at] =
          frame[1]! < 126
            ? [frame[1]!, 2]
            : frame[1] === 126
              ? [frame.readUInt16BE(2), 4]
              : [Number(frame.readBigUInt64BE(2)), 10];
        lengths.add(at);
        // The protocol requires the shortest form of the length.
        expect(at).toBe(message.length < 126 ? 2 : message.length < 65_536 ? 4 : 10);
        expect(said).toBe(message.length);
        expect(frame.subarray(at).equals(message)).toBe(true);
      }
      expect([...lengths]).toEqual([2, 4, 10]);
    },
  );
});

describe('lists of encoded items', () => {
  const join = (list: Iterable<Buffer>): Buffer => Buffer.concat([...list]);
  const head = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '5', remainingItemCount: 3 } };

  it('in JSON omit kind and apiVersion of the items', () => {
    const json = encodeJson(configMap.schema, typed(3));
    const text = `${jsonListHead(head)}{${json.subarray(jsonItemOffset('v1', 'ConfigMap'))}]}`;
    expect(text).toBe(
      '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5","remainingItemCount":3},"items":[{"metadata":{"name":"a"},"data":{"k":"xxx"}}]}',
    );
    expect(JSON.parse(text)).toBeDefined();
  });

  it.each([0, 1, 30, 300])('in protobuf have the same bytes as the encoded list, %d items', (count) => {
    const items = Array.from({ length: count }, (_, i) => object(i));
    const messages = items.map((o) => encodeProtobuf(configMap.schema, o));
    const bytes = messages.reduce((n, m) => n + protobufItemBytes(m.length), 0);
    const list = join(protobufList(head, bytes, messages));
    const listKind = kindNamed('ConfigMapList');
    const raw = encodeProtobuf(listKind.schema, { metadata: head.metadata, items });
    expect(list.equals(sealEnvelope({ apiVersion: 'v1', kind: 'ConfigMapList', raw }))).toBe(true);
  });

  it.each([0, 1, 23, 24, 300, 70_000])('in CBOR have the same bytes as the encoded list, %d items', (count) => {
    const one = encodeCbor(configMap.schema, object(1));
    const ones = Array.from({ length: count }, () => one);
    const list = join(cborList(head, count, ones));
    const expected = encodeCbor(undefined, {
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata: head.metadata,
      items: Array.from({ length: count }, () => object(1)),
    });
    expect(list.equals(expected)).toBe(true);
  });
});

describe('responses', () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'a "b" <c>', code: 404 };

  it('are written in every encoding', () => {
    expect(encodeAnswer(status, 'json')?.toString()).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"a \\"b\\" \\u003cc\\u003e","code":404}\n',
    );
    expect(encodeAnswer(status, 'yaml')?.toString()).toContain('message: a "b" <c>\n');
    const bare = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'a' } };
    expect(encodeAnswer(bare, 'yaml')?.toString()).toContain('status:\n  loadBalancer: {}\n');
    expect(readCbor(encodeAnswer(status, 'cbor')!)).toEqual({ ok: true, value: status });
    const opened = openEnvelope(encodeAnswer(status, 'protobuf')!);
    expect(opened.ok && decodeProtobuf(kindNamed('Status').schema, opened.envelope.raw)).toMatchObject({
      object: { status: 'Failure', code: 404 },
    });
    const metadata = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata: { name: 'a' } };
    expect(encodeAnswer(metadata, 'protobuf')?.includes('PartialObjectMetadata')).toBe(true);
    expect(encodeAnswer({ kind: 'Widget', apiVersion: 'example.com/v1' }, 'protobuf')).toBeUndefined();
    expect(encodeAnswer({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' }, 'protobuf')).toBeUndefined();
    const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, rows: [{ cells: ['a', 1] }] };
    expect(JSON.parse(encodeAnswer(table, 'json')!.toString())).toEqual(table);
    const empty = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [] };
    expect(JSON.parse(encodeAnswer(empty, 'json')!.toString())).toEqual(empty);
    expect(encodeAnswer({ kind: 'Widget', apiVersion: 'example.com/v1', b: 1, a: 2 }, 'json')?.toString()).toBe(
      '{"kind":"Widget","apiVersion":"example.com/v1","b":1,"a":2}\n',
    );
  });

  it('are pretty-printed with unchanged numbers', () => {
    const value = { a: [], b: {}, c: [1, { d: '{"x":[1,2]}\\' }], e: 'é, :' };
    expect(finish(prettySteps(Buffer.from(JSON.stringify(value)))).toString()).toBe(JSON.stringify(value, null, 2));
    expect(finish(prettySteps(Buffer.from('{"n":9223372036854775807}'))).toString()).toBe(
      '{\n  "n": 9223372036854775807\n}',
    );
    expect(prettyText(Buffer.from('{"a":[1]}'), 1)).toBe('{\n    "a": [\n      1\n    ]\n  }');
  });

  it('are encoded in steps if they are large', () => {
    const items = Array.from({ length: 20_000 }, (_x, i) => ({ name: `n${i}`, value: '' }));
    const value = { kind: 'Widget', apiVersion: 'example.com/v1', spec: { items } };
    for (const [encoding, pretty] of [
      ['yaml', false],
      ['json', true],
    ] as const) {
      const steps = answerSteps(value, encoding, { pretty });
      let pauses = 0;
      for (let step = steps.next(); ; step = steps.next(), pauses++) {
        if (step.done !== true) continue;
        expect(step.value?.toString()).toBe(encodeAnswer(value, encoding, { pretty })!.toString());
        break;
      }
      expect([encoding, pauses >= 8]).toEqual([encoding, true]);
    }
  });

  it('may consist of metadata only', () => {
    expect(partialMetadata(encodeJson(configMap.schema, typed(3)), 'v1').toString()).toBe(
      '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}',
    );
  });
});
