import { describe, expect, it } from 'vitest';
import { goJson, type JsonObject } from '../../../api/index.js';
import { Bench, refusal } from '../../testing.js';

const REVISIONS = 'controllerrevisions.apps/v1';
const UNSORTED = { b: 1, a: { d: 1, c: 2 } };
const SORTED = { a: { c: 2, d: 1 }, b: 1 };
const revision = (data: JsonObject, number = 1): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'r' },
  data,
  revision: number,
});
const immutable = (data: JsonObject): string =>
  `422 ControllerRevision.apps "r" is invalid: data: Invalid value: ${goJson(data, 'asTheyStand')}: field is immutable`;

async function opened(data: JsonObject): Promise<Bench> {
  const b = await Bench.open();
  await b.create(REVISIONS, 'default', revision(data));
  return b;
}

describe('the data of a revision', () => {
  it('is text: another order of its keys is a change', async () => {
    const b = await opened(UNSORTED);
    expect(await refusal(b.update(REVISIONS, 'default', revision(SORTED, 2)))).toBe(immutable(SORTED));
    expect(await b.update(REVISIONS, 'default', revision(UNSORTED, 2))).toMatchObject({ revision: 2 });
  });

  it('is written anew, in order, by a strategic merge patch and apply, and not by other patches', async () => {
    const b = await opened(UNSORTED);
    for (const type of ['merge', 'json'] as const) {
      const patch = type === 'merge' ? { revision: 3 } : '[{"op":"replace","path":"/revision","value":4}]';
      expect(Object.keys((await b.patch(REVISIONS, ['default', 'r'], patch, type))['data'] as JsonObject)).toEqual([
        'b',
        'a',
      ]);
    }
    // These enter the data: the objects on the way have sorted keys then.
    const entering = [
      ['merge', { data: { b: 1 } }, { a: UNSORTED.a, b: 1 }],
      ['merge', { data: { a: { c: 2 } } }, SORTED],
      ['json', '[{"op":"replace","path":"/data/b","value":1}]', { a: UNSORTED.a, b: 1 }],
      ['json', '[{"op":"test","path":"/data/a/c","value":2}]', SORTED],
    ] as const;
    for (const [type, patch, shown] of entering)
      expect(await refusal(b.patch(REVISIONS, ['default', 'r'], patch, type))).toBe(immutable(shown));
    const ordered = await opened(SORTED);
    for (const [type, patch] of entering)
      expect(await ordered.patch(REVISIONS, ['default', 'r'], patch, type)).toMatchObject({ data: SORTED });
    const rest = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' }, revision: 5 };
    for (const type of ['strategic', 'apply'] as const)
      expect(await refusal(b.patch(REVISIONS, ['default', 'r'], rest, type, { force: true }))).toBe(immutable(SORTED));
    const sorted = await opened(SORTED);
    const applied = revision(UNSORTED, 6);
    expect(await sorted.patch(REVISIONS, ['default', 'r'], applied, 'apply', { force: true })).toMatchObject({
      revision: 6,
    });
  });
});
