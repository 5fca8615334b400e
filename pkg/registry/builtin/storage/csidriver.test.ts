import { expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../api/index.js';
import { Bench } from '../../testing.js';

const WHAT = 'csidrivers.storage.k8s.io/v1';
const driver = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'a.io', ...metadata },
  spec,
});

it.each([[undefined], [7]])('a new driver has the generation that its creator sent: %s', async (generation) => {
  const b = await Bench.open();
  const sent = generation === undefined ? {} : { generation };
  expect(objectAt(await b.create(WHAT, '', driver({}, sent)), 'metadata')['generation']).toBe(generation);
});

it('the first change of a driver sets its generation', async () => {
  const b = await Bench.open();
  await b.create(WHAT, '', driver({}));
  const changed = await b.patch(WHAT, ['', 'a.io'], { spec: { requiresRepublish: true } });
  expect(objectAt(changed, 'metadata')['generation']).toBe(1);
});

it('a write that changes the audiences of tokens warns if it does not say where tokens are put', async () => {
  const b = await Bench.open();
  const tokens = (...audiences: readonly string[]): JsonObject => ({
    spec: { tokenRequests: audiences.map((audience) => ({ audience })) },
  });
  const counts: number[] = [];
  const patch = async (change: JsonObject): Promise<void> => {
    await b.patch(WHAT, ['', 'a.io'], change);
    counts.push(b.warnings.length);
  };
  await b.create(WHAT, '', driver({}));
  await patch(tokens('a'));
  await patch({ metadata: { labels: { a: 'b' } } });
  await patch(tokens('a', 'b'));
  await patch({ spec: { ...objectAt(tokens('c'), 'spec'), serviceAccountTokenInSecrets: true } });
  await patch({ spec: { serviceAccountTokenInSecrets: null } });
  await patch({ spec: { tokenRequests: null } });
  expect(counts).toEqual([1, 1, 2, 2, 2, 2]);
});
