import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { type Bench, refusal } from '../testing.js';
import { BOXES, openBoxes } from './testing.js';

/** Errors after which the rules of a custom resource are not evaluated. The answers are those of kube-apiserver 1.37. */

const SPEC: JsonObject = {
  type: 'object',
  'x-kubernetes-validations': [{ rule: '!has(self.num) || self.num < 5', message: 'too many' }],
  properties: {
    num: { type: 'integer' },
    held: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const NOT_CHECKED = '<nil>: Invalid value: null: some validation rules were not checked';
const LONG = { long: 'a'.repeat(263_000) };

let bench: Bench;
beforeAll(async () => {
  bench = await openBoxes({ spec: SPEC });
});

const box = (metadata: JsonObject, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Box',
  metadata,
  spec: { num: 9, ...spec },
});

describe('rules are not evaluated after an error of a blocking type', () => {
  it.each<readonly [string, JsonObject, JsonObject]>([
    ['metadata.name: Required value', {}, {}],
    ['metadata.annotations: Too long', { name: 'a', annotations: LONG }, {}],
    [
      'metadata.ownerReferences[0].uid: Required value',
      { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }] },
      {},
    ],
    ['spec.held.apiVersion: Required value', { name: 'a' }, { held: { kind: 'Pod' } }],
  ])('%s', async (error, metadata, spec) => {
    const answer = await refusal(bench.create(BOXES, 'default', box(metadata, spec)));
    expect(answer).toContain(error);
    expect(answer).toContain(NOT_CHECKED);
    expect(answer).not.toContain('too many');
  });

  it('of an update', async () => {
    await bench.create(BOXES, 'default', box({ name: 'changed' }, { num: 1 }));
    const change = { metadata: { annotations: LONG }, spec: { num: 9 } };
    const answer = await refusal(bench.patch(BOXES, ['default', 'changed'], change, 'merge'));
    expect(answer).toContain(NOT_CHECKED);
    expect(answer).not.toContain('too many');
  });
});

it.each<readonly [string, JsonObject]>([
  ['metadata.labels: Invalid value', { name: 'a', labels: { a: '-' } }],
  ['metadata.finalizers: Invalid value', { name: 'a', finalizers: ['-'] }],
])('rules are evaluated after %s', async (error, metadata) => {
  const answer = await refusal(bench.create(BOXES, 'default', box(metadata)));
  expect(answer).toContain(error);
  expect(answer).toContain('spec: Invalid value: too many');
});
