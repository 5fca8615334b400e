import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, rememberEmpty } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { kindSchema } from '../../schema/index.js';
import { compareObjects, compareSteps } from './compare.js';
import { emptySet, isEmptySet, recursiveDifference, setOfNames } from './field-set.js';

const { schema } = kindSchema({ group: '', version: 'v1', kind: 'Pod' })!;

const name = fc.constantFrom('a', 'b', 'c');
const container = fc.record({ name, image: name, args: fc.array(name, { maxLength: 2 }) }, { requiredKeys: ['name'] });
const pod: fc.Arbitrary<JsonObject> = fc.record(
  {
    metadata: fc.record({ name, labels: fc.dictionary(name, name) }, { requiredKeys: ['name'] }),
    spec: fc.record({ containers: fc.array(container, { maxLength: 3 }), nodeName: name }, { requiredKeys: [] }),
    status: fc.record({ phase: name, message: name }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const ignored = fc.constantFrom(
  emptySet,
  setOfNames([['status']]),
  setOfNames([['spec'], ['metadata', 'labels']]),
  setOfNames([['spec', 'containers']]),
);

describe('a comparison', () => {
  it('with ignored fields is the whole comparison without them', () => {
    fc.assert(
      fc.property(pod, pod, ignored, (before, after, fields) => {
        const whole = compareObjects(before, after, schema);
        expect(finish(compareSteps(before, after, schema, fields))).toEqual({
          removed: recursiveDifference(whole.removed, fields),
          modified: recursiveDifference(whole.modified, fields),
          added: recursiveDifference(whole.added, fields),
        });
      }),
    );
  });

  it('of equal objects finds nothing, and one changed label is found', () => {
    fc.assert(
      fc.property(pod, (before) => {
        const after = cloneJson(before);
        const same = compareObjects(before, after, schema);
        expect([same.removed, same.modified, same.added].every(isEmptySet)).toBe(true);
        after['metadata'] = { ...(after['metadata'] as JsonObject), generateName: 'x' };
        expect(compareObjects(before, after, schema).added).toMatchObject({ 'f:metadata': { 'f:generateName': {} } });
      }),
    );
  });

  it('finds an empty list in an item, although it is not stored', () => {
    const toleration: JsonObject = { key: 'a' };
    const before: JsonObject = { spec: { tolerations: [toleration] } };
    const after = cloneJson(before);
    const [item] = (after['spec'] as { tolerations: JsonObject[] }).tolerations;
    rememberEmpty(item!, { values: [] });
    expect(compareObjects(before, after, schema).modified).toEqual({ 'f:spec': { 'f:tolerations': {} } });
  });

  it('looks at large values that are equal in steps', () => {
    const data = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'v']));
    const map = kindSchema({ group: '', version: 'v1', kind: 'ConfigMap' })!.schema;
    const steps = compareSteps({ data }, { data: { ...data } }, map);
    let pauses = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) {
        expect(step.value).toEqual({ removed: {}, modified: {}, added: {} });
        break;
      }
      pauses++;
    }
    expect(pauses).toBeGreaterThan(10);
  });
});
