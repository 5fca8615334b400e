import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { Bench, refusal } from '../testing.js';
import { compile } from './compile.js';

const EMBEDDED = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const NAMES = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };
const BOXES = 'boxes.example.com/v1';

async function open(): Promise<(spec: JsonObject) => Promise<string>> {
  const bench = await Bench.open();
  const spec = {
    type: 'object',
    properties: {
      e: EMBEDDED,
      l: { type: 'array', items: EMBEDDED },
      m: { type: 'object', additionalProperties: EMBEDDED },
    },
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  await bench.registry.changeKinds({
    set: [compile({ group: 'example.com', scope: 'Namespaced', names: NAMES, versions }, NAMES)],
  });
  return (given) =>
    refusal(
      bench.create(BOXES, 'default', {
        apiVersion: 'example.com/v1',
        kind: 'Box',
        metadata: { name: 'a' },
        spec: given,
      }),
    );
}

const object = (more: Readonly<Record<string, JsonValue>>): JsonObject => ({ apiVersion: 'v1', kind: 'X', ...more });

describe('embedded objects', () => {
  it('must have an apiVersion and a kind', async () => {
    const tried = await open();
    expect(await tried({ e: {} })).toContain('[spec.e.apiVersion: Required value, spec.e.kind: Required value]');
    expect(await tried({ l: [{ apiVersion: '', kind: 'X' }] })).toContain(
      'spec.l[0].apiVersion: Invalid value: "": must not be empty',
    );
    expect(await tried({ m: { k: object({ apiVersion: 'a/b/c' }) } })).toContain(
      'spec.m[k].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    );
    expect(await tried({ e: object({ kind: 'x y' }) })).toContain(
      'spec.e.kind: Invalid value: "x y": may have mixed case',
    );
  });

  it('must have the types of all objects', async () => {
    const tried = await open();
    expect(await tried({ e: object({ kind: 2 }) })).toMatch(/^400 .*spec\.e\.kind: Invalid value: 2: must be a string/);
    expect(await tried({ e: object({ metadata: 'x' }) })).toMatch(/^400 .*spec\.e\.metadata: Invalid value: "x": json/);
    expect(await tried({ m: { k: object({ metadata: { labels: { a: 1 } } }) } })).toMatch(
      /^400 .*spec\.m\[k\]\.metadata/,
    );
  });

  it('must have valid metadata, but need no name', async () => {
    const tried = await open();
    expect(await tried({ e: object({ metadata: { name: 'a/b' } }) })).toContain(
      'spec.e.metadata.name: Invalid value: "a/b": may not contain \'/\'',
    );
    expect(await tried({ e: object({ metadata: { labels: { 'a b': '' } } }) })).toContain(
      'spec.e.metadata.labels: Invalid value: "a b"',
    );
    expect(await tried({ e: object({ metadata: {} }) })).toBe('taken');
  });
});
