import { describe, expect, it } from 'vitest';
import { type AdmissionRequest, ApiError, type JsonObject, type StoredObjects } from '../api/index.js';
import type { World } from '../base/index.js';
import { serviceAccountStep } from './serviceaccount.js';
import { admissionRequest } from './testing.js';

/** Accounts that appear after `missing` lookups. */
function accounts(list: Readonly<Record<string, JsonObject>>, missing = 0): StoredObjects & { asked: number } {
  return {
    asked: 0,
    get(_resource, _namespace, name) {
      return Promise.resolve(this.asked++ < missing ? undefined : list[name]);
    },
    labels: () => Promise.resolve(undefined),
    cached: () => undefined,
    list: () => [],
    each: () => [],
    isEmpty: () => true,
    refresh: () => Promise.resolve(),
    state: () => 0,
    resourceOf: () => undefined,
  };
}

const world = {
  random: { bytes: (n: number) => new Uint8Array(n), float: () => 0, uuid: () => '' },
  timers: { after: (_ms: number, f: () => void) => queueMicrotask(f), every: () => () => {}, immediate: setImmediate },
} as unknown as World;

const creation = (pod: JsonObject): AdmissionRequest => admissionRequest('pods', { name: 'p', object: pod });

async function admitted(pod: JsonObject, objects: StoredObjects): Promise<JsonObject | string> {
  const step = serviceAccountStep(objects, world);
  try {
    await step.mutate?.(creation(pod));
    await step.validate?.(creation(pod));
    return pod['spec'] as JsonObject;
  } catch (e) {
    if (e instanceof ApiError) return String(e.status.message).replace('pods "p" is forbidden: ', '');
    throw e;
  }
}

const pod = (spec: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', annotations },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const account = (name: string, more: JsonObject = {}): JsonObject => ({ metadata: { name }, ...more });

describe('the service account of a pod', () => {
  it('defaults to `default`, and the pod gets its token and pull secrets', async () => {
    const objects = accounts({ default: account('default', { imagePullSecrets: [{ name: 'r' }] }) });
    expect(await admitted(pod(), objects)).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      imagePullSecrets: [{ name: 'r' }],
      containers: [{ volumeMounts: [{ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }],
      volumes: [{ projected: { sources: [{ serviceAccountToken: { path: 'token' } }, {}, {}] } }],
    });
  });

  it('is awaited if it is the default account, which a controller creates', async () => {
    expect(await admitted(pod(), accounts({ default: account('default') }, 3))).toMatchObject({
      serviceAccountName: 'default',
    });
    const never = accounts({});
    expect(await admitted(pod(), never)).toBe(
      'error looking up service account n/default: serviceaccount "default" not found',
    );
    expect(never.asked).toBe(10);
    const other = accounts({});
    expect(await admitted(pod({ serviceAccountName: 'x' }), other)).toMatch(/^error looking up service account n\/x/);
    expect(other.asked).toBe(1);
  });

  it.each([
    [{ serviceAccountName: 's' }, 'a mirror pod may not reference service accounts'],
    [{ volumes: [{ secret: { secretName: 'x' } }] }, 'a mirror pod may not reference secrets'],
    [{ imagePullSecrets: [{ name: 'x' }] }, 'a mirror pod may not reference secrets'],
    [
      { volumes: [{ projected: { sources: [{ serviceAccountToken: {} }] } }] },
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
  ])('is not set for a mirror pod: %j', async (spec, why) => {
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    expect(await admitted(pod(spec, annotations), accounts({}))).toBe(why);
    expect(await admitted(pod({}, annotations), accounts({}))).not.toHaveProperty('serviceAccountName');
  });

  it.each([
    [{ volumes: [{ secret: { secretName: 'x' } }] }, 'volume with secret.secretName="x"'],
    [
      { containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'x', key: 'k' } } }] }] },
      'container c with envVar E referencing secret.secretName="x"',
    ],
    [{ imagePullSecrets: [{ name: 'x' }] }, 'imagePullSecrets[0].name="x"'],
  ])('may be restricted to its own secrets: %j', async (spec, what) => {
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
    const strict = account('default', { automountServiceAccountToken: false });
    const objects = accounts({ default: { ...strict, metadata: { name: 'default', annotations } } });
    expect(await admitted(pod(spec), objects)).toMatch(
      new RegExp(
        `^${what.replace(/[[\]"]/g, '\\$&')} is not allowed because service account default does not reference`,
      ),
    );
    const named = { ...strict, secrets: [{ name: 'x' }], imagePullSecrets: [{ name: 'x' }] };
    const open = accounts({ default: { ...named, metadata: { name: 'default', annotations } } });
    expect(await admitted(pod(spec), open)).toMatchObject({ serviceAccountName: 'default' });
  });
});
