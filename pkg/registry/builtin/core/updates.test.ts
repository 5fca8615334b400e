import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';

/** What is told of a changed object, and how often. */

const volume = (metadata: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v', ...metadata },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
});
const service = (ips: readonly string[], metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', ...metadata },
  spec: { clusterIP: 'None', clusterIPs: [...ips], ports: [{ port: 80 }] },
});

describe('metadata of a changed volume', () => {
  it('is judged twice in general and twice like that of a new one, never as a change of a volume', async () => {
    const b = await Bench.open();
    await b.create('persistentvolumes', '', volume({}));
    const labels = await causesOf(b.update('persistentvolumes', '', volume({ labels: { '-': '' } })));
    expect(new Set(labels).size).toBe(1);
    expect(labels).toHaveLength(4);
    const finalizers = await causesOf(b.update('persistentvolumes', '', volume({ finalizers: ['plain'] })));
    expect(finalizers).toHaveLength(2);
  });
});

describe('addresses of a changed service', () => {
  it('that it has already are not judged for themselves again', async () => {
    const b = await Bench.open();
    const first = 'spec.clusterIPs: Invalid value: ["None","None"]: \'None\' must be the first and only value';
    const second = expect.stringContaining('spec.clusterIPs[1]: Invalid value: "None"');
    expect(await causesOf(b.create('services', 'default', service(['None', 'None'])))).toEqual([first, second]);
    const { metadata } = await b.create('services', 'default', service(['None']));
    expect(await causesOf(b.update('services', 'default', service(['None', 'None'], metadata as JsonObject)))).toEqual([
      first,
    ]);
  });
});
