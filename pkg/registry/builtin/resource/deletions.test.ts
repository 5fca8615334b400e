import { expect, it } from 'vitest';
import { Bench } from '../../testing.js';

it.each([
  ['devicetaintrules.resource.k8s.io/v1beta2', 'DeviceTaintRule', { taint: { key: 'a.b/c', effect: 'NoSchedule' } }],
  ['resourcepoolstatusrequests.resource.k8s.io/v1alpha3', 'ResourcePoolStatusRequest', { driver: 'a.b' }],
])('a deletion of %s answers with the object', async (what, kind, spec) => {
  const b = await Bench.open([['api/all', true]]);
  const apiVersion = what.slice(what.indexOf('.') + 1);
  const made = await b.create(what, '', { apiVersion, kind, metadata: { name: 'x' }, spec });
  expect(await b.delete(what, '', 'x')).toEqual(made);
});

it('a deletion of a rule in v1 answers with a Status', async () => {
  const b = await Bench.open();
  const spec = { taint: { key: 'a.b/c', effect: 'NoSchedule' } };
  const rules = 'devicetaintrules.resource.k8s.io/v1';
  await b.create(rules, '', {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceTaintRule',
    metadata: { name: 'x' },
    spec,
  });
  expect(await b.delete(rules, '', 'x')).toMatchObject({ kind: 'Status', status: 'Success' });
});
