import { expect, it } from 'vitest';
import { Bench, causesOf } from '../../testing.js';

it('a stateful set reports its claims and service before its template', async () => {
  const b = await Bench.open();
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: '-', image: 'i' }] } };
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'a' },
    spec: {
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'x' },
      volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: { accessModes: ['x'] } }],
      replicas: -1,
      ordinals: { start: -1 },
      serviceName: '-',
      selector: { matchLabels: { a: 'b' } },
      template,
    },
  };
  const found = await causesOf(b.create('statefulsets.apps', 'default', set));
  expect(found.map((cause) => cause.split(': ', 1)[0])).toEqual([
    'spec.persistentVolumeClaimRetentionPolicy.whenDeleted',
    'spec.volumeClaimTemplates[0].spec.accessModes',
    'spec.volumeClaimTemplates[0].spec.resources[storage]',
    'spec.replicas',
    'spec.ordinals.start',
    'spec.serviceName',
    'spec.template.spec.containers[0].name',
  ]);
});
