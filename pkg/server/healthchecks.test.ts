import { expect, it } from 'vitest';
import { type HealthCheckParts, healthChecks } from './healthchecks.js';

const parts = (changed: Partial<HealthCheckParts> = {}, hasLeader = true): HealthCheckParts => ({
  keyspace: { status: () => ({ hasLeader }) as ReturnType<HealthCheckParts['keyspace']['status']> },
  isReady: () => true,
  kms: undefined,
  reloadsEncryption: false,
  fairness: true,
  rbac: true,
  elections: false,
  ...changed,
});

/** The checks that fail on a path. */
async function failing(given: HealthCheckParts, path: 'healthz' | 'livez' | 'readyz'): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { name, check } of healthChecks(given)[path]) if ((await check()) !== undefined) failed.push(name);
  return failed;
}

const names = (given: HealthCheckParts, path: 'healthz' | 'livez' | 'readyz'): readonly string[] =>
  healthChecks(given)[path].map((check) => check.name);

it('passes all checks of a server that serves', async () => {
  for (const path of ['healthz', 'livez', 'readyz'] as const) expect(await failing(parts(), path)).toEqual([]);
});

it('is not ready without a leader, but alive', async () => {
  const lonely = parts({}, false);
  expect(await failing(lonely, 'readyz')).toEqual(['etcd', 'etcd-readiness']);
  expect(await failing(lonely, 'healthz')).toEqual(['etcd']);
  expect(await failing(lonely, 'livez')).toEqual([]);
});

it('is not ready while it shuts down', async () => {
  expect(await failing(parts({ isReady: () => false }), 'readyz')).toEqual(['shutdown']);
});

it('shows the checks in the order of kube-apiserver', () => {
  expect(names(parts(), 'livez').slice(0, 4)).toEqual([
    'ping',
    'log',
    'etcd',
    'poststarthook/start-apiserver-admission-initializer',
  ]);
  expect(names(parts(), 'readyz').slice(0, 5)).toEqual(['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync']);
  expect(names(parts(), 'readyz').at(-1)).toBe('shutdown');
  const encrypted = parts({ kms: async () => undefined, reloadsEncryption: true });
  expect(names(encrypted, 'readyz').slice(3, 8)).toEqual([
    'etcd-readiness',
    'kms-providers',
    'informer-sync',
    'poststarthook/start-encryption-provider-config-automatic-reload',
    'poststarthook/start-apiserver-admission-initializer',
  ]);
});

it('has the checks of the parts that run', () => {
  const kms = async () => undefined;
  expect(names(parts({ kms }), 'readyz')).toContain('kms-providers');
  expect(names(parts({ kms }), 'livez')).not.toContain('kms-providers');
  expect(names(parts({ elections: true }), 'readyz').filter((name) => name.includes('election'))).toHaveLength(1);
  const plain = names(parts({ fairness: false, rbac: false }), 'healthz');
  expect(plain.filter((name) => /fairness|in-flight|rbac|election/.test(name))).toEqual([
    'poststarthook/max-in-flight-filter',
    'poststarthook/priority-and-fairness-config-producer',
  ]);
});
