import { expect, it } from 'vitest';
import { Bench } from '../../testing.js';

it.each([
  ['devicetaintrules.resource.k8s.io/v1', 'DeviceTaintRule', { taint: { key: 'a.b/c', effect: 'NoSchedule' } }],
  ['resourcepoolstatusrequests.resource.k8s.io/v1alpha3', 'ResourcePoolStatusRequest', { driver: 'a.b' }],
])('a deletion of %s answers with the object', async (what, kind, spec) => {
  const b = await Bench.open([['api/all', true]]);
  const apiVersion = what.slice(what.indexOf('.') + 1);
  const made = await b.create(what, '', { apiVersion, kind, metadata: { name: 'x' }, spec });
  expect(await b.delete(what, '', 'x')).toEqual(made);
});
