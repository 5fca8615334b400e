import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/index.js';
import { Bench, causesOf } from '../../../testing.js';

const container = (name: string, resources: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  image: 'i',
  resources,
  ...more,
});
const CPU: JsonObject = { requests: { cpu: '1' }, limits: { cpu: '2' } };
const STORED: JsonObject = { requests: { cpu: '1', 'ephemeral-storage': '1Gi' }, limits: { cpu: '2' } };

async function withPod(spec: JsonObject, annotations: JsonObject = {}): Promise<Bench> {
  const b = await Bench.open();
  await b.create('pods', 'default', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', annotations }, spec });
  return b;
}

const resized = (b: Bench, spec: JsonObject): Promise<JsonObject> =>
  b.patch('pods/resize', ['default', 'p'], { spec }, 'merge');

const MUTABLE = 'spec: Forbidden: only cpu and memory resources are mutable';

describe('a resize', () => {
  it('changes CPU and memory of containers and of sidecars', async () => {
    const side = container('s', CPU, { restartPolicy: 'Always' });
    const b = await withPod({ containers: [container('c', STORED)], initContainers: [side] });
    const more = { requests: { cpu: '1500m', memory: '1Gi' }, limits: { cpu: '3' } };
    const after = await resized(b, {
      containers: [container('c', { ...more, requests: { ...more.requests, 'ephemeral-storage': '1Gi' } })],
      initContainers: [{ ...side, resources: more }],
    });
    expect(after['spec']).toMatchObject({ containers: [{ resources: more }], initContainers: [{ resources: more }] });
  });

  it('keeps the claims of a container', async () => {
    const claiming = { ...CPU, claims: [{ name: 'x' }] };
    const b = await withPod({
      containers: [container('c', claiming)],
      resourceClaims: [{ name: 'x', resourceClaimName: 'y' }],
    });
    const more = { ...claiming, requests: { cpu: '1500m' } };
    expect((await resized(b, { containers: [container('c', more)] }))['spec']).toMatchObject({
      containers: [{ resources: more }],
    });
  });

  it.each([
    ['other resources', [container('c', { ...STORED, requests: { cpu: '1', 'ephemeral-storage': '2Gi' } })], [MUTABLE]],
    [
      'claims',
      [container('c', { ...STORED, claims: [{ name: 'x' }] })],
      [
        'spec.containers[0].resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
        MUTABLE,
      ],
    ],
    ['how it is resized', [container('c', STORED, { resizePolicy: [] })], [MUTABLE]],
    [
      'the set of requested resources',
      [container('c', { ...STORED, requests: { cpu: '1' } })],
      ['spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed', MUTABLE],
    ],
    [
      'the number of containers',
      [container('c', STORED), container('d', CPU)],
      ['spec.containers: Forbidden: containers may not be added or removed on resize'],
    ],
    [
      'the name of a container',
      [container('d', STORED)],
      ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
    ],
  ])('does not change %s', async (_what, containers, causes) => {
    const policy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    const b = await withPod({ containers: [container('c', STORED, { resizePolicy: policy })] });
    const kept = containers.map((c) => ({ resizePolicy: policy, ...c }));
    expect(await causesOf(resized(b, { containers: kept }))).toEqual(causes);
  });

  it('does not change other init containers', async () => {
    const b = await withPod({ containers: [container('c', CPU)], initContainers: [container('i', CPU)] });
    const more = container('i', { ...CPU, limits: { cpu: '3' } });
    expect(await causesOf(resized(b, { initContainers: [more] }))).toEqual([
      'spec: Forbidden: resources for non-sidecar init containers are immutable',
    ]);
  });

  it('is refused for static pods and for Windows pods', async () => {
    const never = async (b: Bench): Promise<unknown> => causesOf(resized(b, { containers: [container('c', STORED)] }));
    const spec = { containers: [container('c', CPU)] };
    const mirror = { ...spec, nodeName: 'n' };
    expect(await never(await withPod(mirror, { 'kubernetes.io/config.mirror': 'x' }))).toEqual([
      '[]: Forbidden: static pods cannot be resized',
    ]);
    expect(await never(await withPod({ ...spec, os: { name: 'windows' } }))).toEqual([
      '[]: Forbidden: windows pods cannot be resized',
    ]);
  });

  it('requires a node that reports container resources', async () => {
    const b = await withPod({ containers: [container('c', CPU)] });
    const running = (more: JsonObject): JsonObject => ({
      status: {
        containerStatuses: [
          { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: {} }, ...more },
        ],
      },
    });
    const wish = { containers: [container('c', { ...CPU, limits: { cpu: '3' } })] };
    await b.patch('pods/status', ['default', 'p'], running({}));
    expect(await causesOf(resized(b, wish))).toEqual([
      'spec: Forbidden: Pod running on node without support for resize',
    ]);
    await b.patch('pods/status', ['default', 'p'], running({ resources: { limits: { cpu: '2' } } }));
    await resized(b, wish);
  });
});
