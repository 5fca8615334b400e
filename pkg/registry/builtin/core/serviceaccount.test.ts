import { expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, refusal } from '../../testing.js';

const account = (secrets: JsonObject[]): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 's' },
  secrets,
});
const ownersOf = (o: JsonObject): unknown =>
  ((o['metadata'] as JsonObject)['managedFields'] as JsonObject[] | undefined)?.map((e) => e['fieldsV1']);

it('owners of a service account stay as they are while a secret has no name', async () => {
  const b = await Bench.open();
  const created = ownersOf(await b.create('serviceaccounts', 'default', account([{ name: 'a' }, { name: 'b' }])));
  expect(created).toEqual([{ 'f:secrets': { '.': {}, 'k:{"name":"a"}': {}, 'k:{"name":"b"}': {} } }]);
  const merged = async (patch: JsonObject): Promise<unknown> =>
    ownersOf(await b.patch('serviceaccounts', ['default', 's'], patch, 'merge'));
  expect(await merged({ secrets: [{ name: 'a' }, {}] })).toEqual(created);
  expect(await merged({ metadata: { labels: { l: 'x' } } })).toEqual(created);
  const applied = b.patch('serviceaccounts', ['default', 's'], account([{ name: 'c' }]), 'apply', { force: true });
  expect(await refusal(applied)).toBe(
    '400 failed to create typed live object (default/s; /v1, Kind=ServiceAccount): .secrets: element 1: associative list with keys ' +
      'has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
  );
  expect(await merged({ secrets: [{ name: 'a' }] })).toEqual(created);
  expect(await merged({ secrets: [{ name: 'c' }] })).not.toEqual(created);

  await b.delete('serviceaccounts', 'default', 's');
  expect(ownersOf(await b.create('serviceaccounts', 'default', account([{}])))).toBeUndefined();
});
