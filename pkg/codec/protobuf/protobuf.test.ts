import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { decodeJson } from '../json/decode.js';
import { fixtures, kindNamed } from '../testing.js';
import { decodeProtobuf } from './decode.js';
import { encodeProtobuf } from './encode.js';
import { openEnvelope, sealEnvelope } from './envelope.js';

const configMap = kindNamed('ConfigMap').schema;
const pod = kindNamed('Pod').schema;

function decoded(schema: typeof pod, bytes: Buffer): JsonObject {
  const result = decodeProtobuf(schema, bytes);
  if (!result.ok) throw new Error(result.message);
  return result.object;
}

const message = (schema: typeof pod, hex: string): string | undefined => {
  const result = decodeProtobuf(schema, Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  return result.ok ? undefined : result.message;
};

describe('protobuf', () => {
  it('writes zero scalars that are not pointers, omits nil pointers and empty lists, sorts maps', () => {
    const hex = encodeProtobuf(configMap, { data: { b: '1', a: '' }, immutable: false } as JsonObject).toString('hex');
    // metadata with empty name, generateName, namespace, selfLink, uid and resourceVersion, generation 0 and an empty
    // creationTimestamp.
    expect(hex).toBe(
      '0a10' + '0a001200' + '1a002200' + '2a003200' + '38004200' + '12050a01611200' + '12060a0162120131' + '2000',
    );
  });

  it('keeps int64, negative numbers and empty byte strings', () => {
    const spec = { containers: [], terminationGracePeriodSeconds: -9223372036854775807n, activeDeadlineSeconds: -1 };
    const held = decoded(pod, encodeProtobuf(pod, { spec }));
    expect(held['spec']).toMatchObject({
      terminationGracePeriodSeconds: -9223372036854775807n,
      activeDeadlineSeconds: -1,
    });
    const secret = kindNamed('Secret').schema;
    expect(decoded(secret, encodeProtobuf(secret, { data: { k: '', l: 'MQ==' } }))['data']).toEqual({
      k: '',
      l: 'MQ==',
    });
  });

  it('skips unknown fields, groups among them, and merges repeated messages', () => {
    const named = '0a 03 0a 01 61';
    expect(
      decoded(configMap, Buffer.from(`${named} 7a027a7a 7b 08 01 7c 0a 05 12 03 67 65 6e`.replaceAll(' ', ''), 'hex')),
    ).toEqual({
      metadata: { name: 'a', generateName: 'gen' },
    });
  });

  it.each([
    ['0a 7f 01', 'unexpected EOF'],
    ['0a', 'unexpected EOF'],
    ['0a ff ff ff ff 0f', 'unexpected EOF'],
    ['0a ff ff ff ff ff ff ff ff ff 01', 'proto: negative length found during unmarshaling'],
    ['0a ff ff ff ff ff ff ff ff ff ff 01', 'proto: integer overflow'],
    ['08 01', 'proto: wrong wireType = 0 for field metadata'],
    ['00 01', 'proto: ConfigMap: illegal tag 0 (wire type 0)'],
    ['0c', 'proto: ConfigMap: wiretype end group for non-group'],
    ['7e', 'proto: illegal wireType 6'],
    ['7b', 'unexpected EOF'],
  ])('refuses %s', (hex, expected) => {
    expect(message(configMap, hex)).toBe(expected);
  });

  it('bounds nesting', () => {
    const schema = kindNamed('CustomResourceDefinition', 'apiextensions.k8s.io').schema;
    let nested = Buffer.alloc(0);
    const length = (n: number): number[] =>
      n < 128 ? [n] : n < 16384 ? [(n & 127) | 128, n >> 7] : [(n & 127) | 128, ((n >> 7) & 127) | 128, n >> 14];
    // JSONSchemaProps.not = 28, nested.
    for (let i = 0; i < 5000; i++)
      nested = Buffer.concat([Buffer.from([0xe2, 0x01, ...length(nested.length)]), nested]);
    const field = (proto: number, inner: Buffer) =>
      Buffer.concat([Buffer.from([proto * 8 + 2, ...length(inner.length)]), inner]);
    const result = decodeProtobuf(schema, field(2, field(7, field(4, field(1, nested)))));
    expect(result).toEqual({ ok: false, message: 'proto: exceeded max recursion depth' });
  });

  it('reports what is wrong with an envelope', () => {
    const open = (hex: string) => {
      const opened = openEnvelope(Buffer.from(hex, 'hex'));
      return opened.ok ? undefined : opened.message;
    };
    expect(open('')).toBe('empty data');
    expect(open('6b387300')).toBe('empty body');
    expect(open('7b7d')).toBe('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
    expect(open('6b3873000a0f0a02')).toBe('unexpected EOF');
    const envelope = { apiVersion: 'v1', kind: 'X', raw: Buffer.from('abc') };
    expect(openEnvelope(sealEnvelope(envelope))).toEqual({ ok: true, envelope });
  });

  it('survives random bytes and mutated messages', () => {
    const seeds = fixtures()
      .slice(0, 40)
      .map((f) => ({ schema: f.kind.schema, bytes: f.protobuf }));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        decodeProtobuf(pod, Buffer.from(bytes));
        openEnvelope(Buffer.concat([Buffer.from('k8s\0'), bytes]));
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
        ({ schema, bytes }, changes) => {
          const opened = openEnvelope(bytes);
          if (!opened.ok) throw new Error(opened.message);
          const mutated = Buffer.from(opened.envelope.raw);
          for (const [at, value] of changes) mutated[at % mutated.length] = value;
          decodeProtobuf(schema, mutated);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('protobuf fixtures', () => {
  it.each(fixtures())(
    '$name decodes, and encodes to the same bytes, also from JSON',
    ({ kind, protobuf, json, value }) => {
      const opened = openEnvelope(protobuf);
      if (!opened.ok) throw new Error(opened.message);
      const { apiVersion, kind: kindName, raw } = opened.envelope;
      const { kind: _, apiVersion: __, ...bare } = value;
      const object = decoded(kind.schema, raw);
      expect(object).toEqual(bare);
      expect(encodeProtobuf(kind.schema, object).equals(raw)).toBe(true);
      const fromJson = decodeJson(kind.schema, json);
      expect(
        fromJson.ok &&
          sealEnvelope({ apiVersion, kind: kindName, raw: encodeProtobuf(kind.schema, fromJson.object) }).equals(
            protobuf,
          ),
      ).toBe(true);
    },
  );
});
