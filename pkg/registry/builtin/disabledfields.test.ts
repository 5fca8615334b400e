import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../api/index.js';
import { Bench } from '../testing.js';

/** Fields whose feature is off, in kube-apiserver 1.37.2: which of them are dropped, and what an update with one of them changes. */

const bench = (...disabled: readonly string[]): Promise<Bench> => Bench.open([], undefined, {}, disabled);

describe('the status of a container', () => {
  const mount = { name: 'v', mountPath: '/x' };
  const status = (volumeStatus: JsonObject): JsonObject => ({
    containerStatuses: [
      {
        name: 'c',
        image: 'i',
        imageID: 'i',
        ready: false,
        restartCount: 0,
        stopSignal: 'SIGTERM',
        volumeMounts: [{ ...mount, ...volumeStatus }],
      },
    ],
  });

  it('keeps its stop signal and loses the status of its volumes', async () => {
    const b = await bench('ContainerStopSignals', 'ImageVolumeWithDigest');
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i', volumeMounts: [mount] }],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    };
    const { metadata } = await b.create('pods', 'default', pod);
    const sent = status({ volumeStatus: { image: { imageRef: 'r' } } });
    const made = await b.update('pods/status', 'default', { ...pod, metadata: metadata!, status: sent });
    expect(objectAt(made, 'status')['containerStatuses']).toEqual([
      expect.objectContaining({ stopSignal: 'SIGTERM', volumeMounts: [mount] }),
    ]);
  });
});

describe('the generation of a slice of devices', () => {
  it('rises by a field that is dropped', async () => {
    const b = await bench('DRADeviceTaints');
    const slice = (device: JsonObject): JsonObject => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: 's' },
      spec: {
        driver: 'example.com',
        allNodes: true,
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'd', ...device }],
      },
    });
    const made = await b.create('resourceslices.resource.k8s.io', '', slice({}));
    expect(objectAt(made, 'metadata')['generation']).toBe(1);
    const { resourceVersion } = objectAt(made, 'metadata');
    const changed = await b.update('resourceslices.resource.k8s.io', '', {
      ...slice({ taints: [{ key: 'k', effect: 'NoSchedule' }] }),
      metadata: { name: 's', resourceVersion: resourceVersion! },
    });
    expect(objectAt(changed, 'metadata')['generation']).toBe(2);
    expect(objectAt(changed, 'spec')['devices']).toEqual([{ name: 'd' }]);
  });
});
