import { expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, refusal } from '../../testing.js';

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

it('a rule without a resourceVersion overwrites in versions before v1', async () => {
  const b = await Bench.open([['api/all', true]]);
  const rule = (version: string, effect: string): JsonObject => ({
    apiVersion: `resource.k8s.io/${version}`,
    kind: 'DeviceTaintRule',
    metadata: { name: 'x' },
    spec: { taint: { key: 'a.b/c', effect } },
  });
  const rules = (version: string, part = ''): string => `devicetaintrules.resource.k8s.io/${version}${part}`;
  await b.create(rules('v1'), '', rule('v1', 'NoSchedule'));
  for (const part of ['', '/status']) {
    expect(await refusal(b.update(rules('v1', part), '', rule('v1', 'NoExecute')))).toMatch(
      /must be specified for an update$/,
    );
    for (const version of ['v1beta2', 'v1alpha3'])
      expect(await b.update(rules(version, part), '', rule(version, 'NoExecute'))).toMatchObject({
        kind: 'DeviceTaintRule',
      });
  }
});

it.each([
  ['v1', false],
  ['v1beta2', true],
])('a stated time of a taint whose effect changes in %s stays: %s', async (version, stays) => {
  const b = await Bench.open([['api/all', true]]);
  const rules = `devicetaintrules.resource.k8s.io/${version}`;
  const rule = (effect: string, metadata: JsonObject): JsonObject => ({
    apiVersion: `resource.k8s.io/${version}`,
    kind: 'DeviceTaintRule',
    metadata,
    spec: { taint: { key: 'a.b/c', effect, timeAdded: '2020-01-01T00:00:00Z' } },
  });
  const { metadata } = await b.create(rules, '', rule('NoSchedule', { name: 'x' }));
  const changed = await b.update(rules, '', rule('NoExecute', metadata as JsonObject));
  const { timeAdded } = (changed['spec'] as JsonObject)['taint'] as JsonObject;
  expect(timeAdded === '2020-01-01T00:00:00Z').toBe(stays);
});
