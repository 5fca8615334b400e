import { describe, expect, it } from 'vitest';
import type { JsonObject, RequestAttributes, UserInfo } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';

const DRIVER = 'd.example.com';
const WHAT = 'resourceclaims.resource.k8s.io/v1';
const claim: JsonObject = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'x' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
};
const device = { driver: DRIVER, pool: 'p', device: 'a' };
const allocation: JsonObject = {
  devices: { results: [{ request: 'r', ...device }] },
  nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }] },
};
const plugin = (node?: string): UserInfo => ({
  name: 'system:serviceaccount:default:plugin',
  groups: [],
  ...(node === undefined ? {} : { extra: { 'authentication.kubernetes.io/node-name': [node] } }),
});

/** Opens a claim in which `user` may do what `allowed` lists: verb, subresource, namespace and name. */
async function open(user: UserInfo, ...allowed: readonly string[]) {
  const asked: string[] = [];
  const authorize = (by: UserInfo, a: RequestAttributes) => {
    if (by.name !== user.name || a.kind !== 'resource' || a.resource !== 'resourceclaims') throw new Error('not asked');
    asked.push([a.verb, a.subresource, a.namespace, a.name].join(' ').trim());
    return { kind: allowed.includes(asked.at(-1)!) ? ('allow' as const) : ('noOpinion' as const), reason: 'no role' };
  };
  const b = await Bench.open([], undefined, { authorize });
  await b.create(WHAT, 'default', claim);
  const change = (status: JsonObject, as: 'user' | 'server' = 'user') =>
    causesOf(
      b.registry.patch(
        {
          target: b.target(`${WHAT}/status`, 'default', 'x'),
          type: 'merge',
          body: { bytes: Buffer.from(JSON.stringify({ status })), encoding: 'json' },
          force: false,
          options: { dryRun: false, fieldManager: 'test', fieldValidation: 'Strict' },
        },
        as === 'user' ? { ...b.context, user, verb: 'patch' } : b.context,
      ),
    );
  return { change, asked };
}

const sentence = (verb: string, what: string, where: string) =>
  `User "system:serviceaccount:default:plugin" cannot ${verb} resource "resourceclaims/${what}" in API group "resource.k8s.io" ${where}: no role`;

describe('the status of a ResourceClaim', () => {
  it('is bound only by those who may patch resourceclaims/binding', async () => {
    const { change } = await open(plugin());
    expect(await change({ allocation })).toEqual([
      `status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: ${sentence('patch', 'binding', 'at the cluster scope')}`,
    ]);
    expect(await (await open(plugin(), 'patch binding')).change({ allocation })).toEqual([]);
  });

  it('has devices that only those may change who may do so for their driver', async () => {
    const verb = 'arbitrary-node:patch';
    const { change } = await open(plugin('n2'), `associated-node:patch driver default ${DRIVER}`);
    await change({ allocation }, 'server');
    expect(await change({ devices: [device] })).toEqual([
      `status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[${verb}]" permission: resourceclaims.resource.k8s.io "${DRIVER}" is forbidden: ${sentence(verb, 'driver', 'in the namespace "default"')}`,
    ]);
    const other = await open(plugin(), `${verb} driver default ${DRIVER}`);
    await other.change({ allocation }, 'server');
    expect(await other.change({ devices: [device] })).toEqual([]);
    // Without a change the authorizer is not asked.
    const before = other.asked.length;
    expect(await other.change({ devices: [device] })).toEqual([]);
    expect(other.asked.length).toBe(before);
    // A removal is a change too.
    expect(await other.change({ devices: null })).toEqual([]);
    expect(other.asked.length).toBe(before + 1);
  });

  it('may be changed with less by a service account on the node of the allocation', async () => {
    const { change, asked } = await open(plugin('n1'), `associated-node:patch driver default ${DRIVER}`);
    await change({ allocation }, 'server');
    expect(await change({ devices: [device] })).toEqual([]);
    expect(asked).toEqual([`associated-node:patch driver default ${DRIVER}`]);
    const refused = await open(plugin('n1'));
    await refused.change({ allocation }, 'server');
    expect(await refused.change({ devices: [device] })).toEqual([
      expect.stringContaining('verb="[associated-node:patch arbitrary-node:patch]"'),
    ]);
  });
});
