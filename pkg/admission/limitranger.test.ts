import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../api/index.js';
import { limitRangerStep } from './limitranger.js';
import { admissionRequest, storedObjects } from './testing.js';

const range = (...limits: readonly JsonObject[]): JsonObject => ({
  metadata: { name: 'l' },
  spec: { limits: [...limits] },
});

function admitted(what: string, object: JsonObject, ...ranges: readonly JsonObject[]): string {
  const [resource = '', subresource] = what.split('/');
  const objects = storedObjects({ limitranges: ranges });
  const request = admissionRequest(what, { operation: subresource === undefined ? 'create' : 'update', object });
  const step = limitRangerStep(objects);
  try {
    void step.mutate?.(request);
    void step.validate?.(request);
    return '';
  } catch (e) {
    if (e instanceof ApiError) return String(e.status.message).replace(`${resource} "x" is forbidden: `, '');
    throw e;
  }
}

const container = (name: string, requests: JsonObject = {}, limits: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests, limits },
});
const pod = (...containers: readonly JsonObject[]): JsonObject => ({
  metadata: {},
  spec: { containers: [...containers] },
});

describe('limit ranges', () => {
  it('set defaults of containers, and record them in an annotation', () => {
    const p = pod(container('a', { cpu: '1' }), container('b'));
    const limit = { type: 'Container', default: { cpu: '2', memory: '1Gi' }, defaultRequest: { cpu: '1' } };
    expect(admitted('pods', p, range(limit))).toBe('');
    expect(p).toEqual({
      metadata: {
        annotations: {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: cpu, memory limit for container a; cpu request for container b; cpu, memory limit for container b',
        },
      },
      spec: {
        containers: [
          container('a', { cpu: '1' }, { cpu: '2', memory: '1Gi' }),
          container('b', { cpu: '1' }, { cpu: '2', memory: '1Gi' }),
        ],
      },
    });
  });

  const bounds = range(
    { type: 'Container', max: { cpu: '1' }, min: { cpu: '100m' }, maxLimitRequestRatio: { memory: '2' } },
    { type: 'Pod', max: { cpu: '1500m' } },
  );
  const fits = { memory: '1Gi' };

  it.each([
    [
      pod(container('a', { cpu: '50m', ...fits }, { cpu: '1', ...fits })),
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      pod(container('a', fits, { cpu: '1', ...fits })),
      'minimum cpu usage per Container is 100m.  No request is specified',
    ],
    [
      pod(container('a', { cpu: '1', ...fits }, fits)),
      '[maximum cpu usage per Container is 1.  No limit is specified, maximum cpu usage per Pod is 1500m.  No limit is specified]',
    ],
    [
      pod(container('a', { cpu: '2', ...fits }, { cpu: '2', ...fits })),
      '[maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1500m, but limit is 2]',
    ],
    [
      pod(container('a', { cpu: '1', memory: '100Mi' }, { cpu: '1', memory: '300Mi' })),
      'memory max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ],
    [
      pod(
        container('a', { cpu: '900m', ...fits }, { cpu: '900m', ...fits }),
        container('b', { cpu: '900m', ...fits }, { cpu: '900m', ...fits }),
      ),
      'maximum cpu usage per Pod is 1500m, but limit is 1800m',
    ],
    [pod(container('a', { cpu: '1', ...fits }, { cpu: '1', ...fits })), ''],
  ])('keep containers and pods within bounds: %j', (object, refused) => {
    expect(admitted('pods', object, bounds)).toBe(refused);
  });

  it('count sidecars, and the maximum of the init containers', () => {
    const spec = {
      initContainers: [
        { ...container('s', {}, { cpu: '500m' }), restartPolicy: 'Always' },
        container('i', {}, { cpu: '2' }),
      ],
      containers: [container('c', {}, { cpu: '1' })],
    };
    const refused = (max: string) =>
      admitted('pods', { metadata: {}, spec }, range({ type: 'Pod', max: { cpu: max } }));
    expect(refused('2')).toBe('maximum cpu usage per Pod is 2, but limit is 2500m');
    expect(refused('2500m')).toBe('');
  });

  it('limit the storage requests of claims', () => {
    const claim = (storage: string) => ({ metadata: {}, spec: { resources: { requests: { storage } } } });
    const bound = range({ type: 'PersistentVolumeClaim', max: { storage: '1Gi' }, min: { storage: '1Mi' } });
    const what = 'persistentvolumeclaims';
    expect(admitted(what, claim('2Gi'), bound)).toBe(
      'maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
    );
    expect(admitted(what, claim('1Ki'), bound)).toMatch(/^minimum storage usage/);
    expect(admitted(what, claim('1Gi'), bound)).toBe('');
  });

  it('limit the resize of a pod, and no other update of it', () => {
    const limit = { type: 'Container', max: { cpu: '1' }, default: { cpu: '1' }, defaultRequest: { memory: '1Gi' } };
    const large = pod(container('a', {}, { cpu: '2' }));
    expect(admitted('pods/resize', large, range(limit))).toBe('maximum cpu usage per Container is 1, but limit is 2');
    expect(admitted('pods/status', large, range(limit))).toBe('');
    const small = pod(container('a', { cpu: '1' }));
    expect(admitted('pods/resize', small, range(limit))).toBe('');
    expect(small).toEqual(pod(container('a', { cpu: '1', memory: '1Gi' }, { cpu: '1' })));
  });
});
