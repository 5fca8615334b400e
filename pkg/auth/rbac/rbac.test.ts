import { beforeEach, describe, expect, it } from 'vitest';
import type { Attributes, ResourceAttributes } from '../attributes.js';
import { authorizerChain } from '../authz/authorizer.js';
import { TestObjects } from '../testing.js';
import type { UserInfo } from '../user.js';
import { rbacAuthorizer } from './authorizer.js';
import { RbacIndex } from './bindings.js';
import { coverageOf } from './covers.js';
import { EscalationCheck } from './escalation.js';
import { bootstrapPolicy, reconcileBinding, reconcileRole } from './policy/index.js';
import type { PolicyRule } from './rules.js';

const GROUP = 'rbac.authorization.k8s.io';
const jane: UserInfo = { name: 'jane', groups: ['dev', 'system:authenticated'] };
const pods: ResourceAttributes = {
  kind: 'resource',
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'n',
  name: '',
};
const role = (name: string, rules: readonly object[], namespace?: string) =>
  ({
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    rules,
  }) as unknown as Parameters<TestObjects['rbac']>[0];
const binding = (name: string, roleRef: string, subjects: readonly object[], namespace?: string) =>
  ({
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: GROUP, kind: roleRef.split('/')[0]!, name: roleRef.split('/')[1]! },
    subjects,
  }) as unknown as Parameters<TestObjects['rbac']>[0];
const user = (name: string) => ({ kind: 'User', apiGroup: GROUP, name });
const group = (name: string) => ({ kind: 'Group', apiGroup: GROUP, name });
const READ_PODS = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

describe('RBAC', () => {
  let objects: TestObjects;
  let index: RbacIndex;
  const decide = async (user: UserInfo, a: Attributes) =>
    authorizerChain([{ name: 'rbac', authorizer: rbacAuthorizer(index, objects) }]).authorize(user, a);

  beforeEach(() => {
    objects = new TestObjects();
    index = new RbacIndex(objects);
  });

  it('allows what a bound role allows, and names the binding', async () => {
    objects.rbac(role('reader', [READ_PODS], 'n'));
    objects.rbac(binding('b', 'Role/reader', [group('dev')], 'n'));
    expect(await decide(jane, pods)).toEqual({
      kind: 'allow',
      reason: 'RBAC: allowed by RoleBinding "b/n" of Role "reader" to Group "dev"',
    });
    expect((await decide(jane, { ...pods, namespace: 'm' })).kind).toBe('noOpinion');
    expect((await decide(jane, { ...pods, verb: 'watch' })).kind).toBe('noOpinion');
    expect((await decide(jane, { ...pods, subresource: 'log' })).kind).toBe('noOpinion');
  });

  it('stops allowing as soon as the binding, the subject or the rule is deleted', async () => {
    objects.rbac(role('reader', [READ_PODS]));
    objects.rbac(binding('b', 'ClusterRole/reader', [user('jane')]));
    expect((await decide(jane, pods)).kind).toBe('allow');
    objects.rbac(binding('b', 'ClusterRole/reader', [user('bob')]));
    expect((await decide(jane, pods)).kind).toBe('noOpinion');
    objects.rbac(binding('b', 'ClusterRole/reader', [user('jane')]));
    expect((await decide(jane, pods)).kind).toBe('allow');
    objects.rbac(role('reader', []));
    expect((await decide(jane, pods)).kind).toBe('noOpinion');
    objects.rbac(role('reader', [READ_PODS]));
    expect((await decide(jane, pods)).kind).toBe('allow');
    objects.put({ group: GROUP, resource: 'clusterrolebindings' }, '', 'b', undefined);
    expect((await decide(jane, pods)).kind).toBe('noOpinion');
  });

  it('reports roles that do not exist', async () => {
    objects.rbac(binding('b', 'Role/gone', [user('jane')], 'n'));
    objects.rbac(binding('c', 'ClusterRole/lost', [group('dev')]));
    expect(await decide(jane, pods)).toEqual({
      kind: 'noOpinion',
      reason: `rbac: RBAC: [clusterrole.${GROUP} "lost" not found, role.${GROUP} "gone" not found]`,
    });
  });

  it('does not check members of system:masters', async () => {
    objects.waiting = Promise.reject(new Error('no leader'));
    objects.waiting.catch(() => {});
    expect((await decide({ name: 'root', groups: ['system:masters'] }, pods)).kind).toBe('allow');
    await expect(decide(jane, pods)).rejects.toThrow('no leader');
  });

  it.each([
    ['*/log', { resource: 'pods', subresource: 'log' }, true],
    ['pods/log', { resource: 'pods', subresource: 'log' }, true],
    ['pods', { resource: 'pods', subresource: 'log' }, false],
    ['*', { resource: 'pods', subresource: 'log' }, true],
    ['pods/*', { resource: 'pods', subresource: 'log' }, false],
    ['po*', { resource: 'pods', subresource: '' }, false],
  ])('matches resource %s against %j: %s', async (resource, asked, allowed) => {
    objects.rbac(role('r', [{ verbs: ['*'], apiGroups: ['*'], resources: [resource] }]));
    objects.rbac(binding('b', 'ClusterRole/r', [user('jane')]));
    expect((await decide(jane, { ...pods, ...asked })).kind === 'allow').toBe(allowed);
  });

  it('matches paths exactly or by prefix, and only from cluster role bindings', async () => {
    objects.rbac(role('r', [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/healthz/*'] }]));
    objects.rbac(binding('b', 'ClusterRole/r', [user('jane')], 'n'));
    const get = async (path: string) => (await decide(jane, { kind: 'path', verb: 'get', path })).kind;
    expect(await get('/metrics')).toBe('noOpinion');
    objects.rbac(binding('b', 'ClusterRole/r', [user('jane')]));
    expect(await get('/metrics')).toBe('allow');
    expect(await get('/healthz/etcd')).toBe('allow');
    expect(await get('/healthz')).toBe('noOpinion');
  });

  it('applies a service account without namespace to the namespace of the binding', async () => {
    objects.rbac(role('r', [READ_PODS]));
    objects.rbac(binding('b', 'ClusterRole/r', [{ kind: 'ServiceAccount', name: 'sa' }], 'n'));
    const account = (namespace: string): UserInfo => ({ name: `system:serviceaccount:${namespace}:sa`, groups: [] });
    expect((await decide(account('n'), pods)).kind).toBe('allow');
    expect((await decide(account('m'), pods)).kind).toBe('noOpinion');
  });

  it('makes the same decisions from an index of existing objects', async () => {
    objects.rbac(binding('b', 'ClusterRole/r', [user('jane'), group('dev')]));
    objects.rbac(role('r', [READ_PODS]));
    index.close();
    index = new RbacIndex(objects);
    expect((await decide(jane, pods)).kind).toBe('allow');
  });
});

describe('coverage of rules', () => {
  const rule = (r: Partial<PolicyRule>): PolicyRule => ({
    verbs: [],
    apiGroups: [],
    resources: [],
    resourceNames: [],
    nonResourceURLs: [],
    ...r,
  });
  const owned = [
    rule({ verbs: ['get'], apiGroups: [''], resources: ['pods'] }),
    rule({ verbs: ['list'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }),
  ];

  it('is checked for single permissions, across all owned rules', () => {
    expect(
      coverageOf(owned, [rule({ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] })]),
    ).toEqual({ kind: 'covered' });
    expect(coverageOf(owned, [rule({ verbs: ['list'], apiGroups: [''], resources: ['pods'] })]).kind).toBe('missing');
  });

  it('stops at rules with too many permissions to compare', () => {
    const many = Array.from({ length: 500 }, (_, i) => String(i));
    expect(coverageOf(owned, [rule({ verbs: many, apiGroups: many, resources: many })])).toEqual({ kind: 'tooMany' });
  });
});

describe('escalation', () => {
  it('lists the permissions that the user does not have', async () => {
    const objects = new TestObjects();
    const index = new RbacIndex(objects);
    objects.rbac(role('r', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]));
    objects.rbac(binding('b', 'ClusterRole/r', [user('jane')]));
    const check = new EscalationCheck(index, rbacAuthorizer(index, objects));
    const write = { user: jane, resource: 'roles', namespace: 'n', requestName: '', old: undefined };
    const object = role('x', [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }], 'n');
    await expect(check.check({ ...write, object })).rejects.toThrow(
      `roles.${GROUP} "x" is forbidden: user "jane" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}`,
    );
    await check.check({ ...write, user: { name: 'root', groups: ['system:masters'] }, object });
    objects.rbac(role('e', [{ verbs: ['escalate'], apiGroups: [GROUP], resources: ['roles'] }]));
    objects.rbac(binding('e', 'ClusterRole/e', [user('jane')]));
    await check.check({ ...write, object });
  });

  it('asks for the permission to bind in the group of the reference', async () => {
    const objects = new TestObjects();
    const index = new RbacIndex(objects);
    objects.rbac(role('r', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]));
    objects.rbac(role('binder', [{ verbs: ['bind'], apiGroups: [GROUP], resources: ['clusterroles'] }]));
    objects.rbac(binding('b', 'ClusterRole/binder', [user('jane')]));
    const check = new EscalationCheck(index, rbacAuthorizer(index, objects));
    const write = (apiGroup: string) => {
      const object = { metadata: { name: 'x' }, roleRef: { apiGroup, kind: 'ClusterRole', name: 'r' } };
      return check.check({
        ...{ user: jane, resource: 'clusterrolebindings', namespace: '', requestName: '', old: undefined },
        object,
      });
    };
    await write(GROUP);
    await expect(write('other')).rejects.toThrow('permissions not currently held');
  });

  it('names missing roles by the order of their bindings, once each', async () => {
    const objects = new TestObjects();
    const index = new RbacIndex(objects);
    objects.rbac(binding('a', 'ClusterRole/namespaced', [user('jane')], 'n'));
    for (const name of ['c', 'b']) objects.rbac(binding(name, `ClusterRole/${name}`, [user('jane')]));
    objects.rbac(binding('d', 'ClusterRole/b', [{ kind: 'Group', name: 'dev' }]));
    const check = new EscalationCheck(index, rbacAuthorizer(index, objects));
    const object = role('x', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], 'n');
    const missing = ['b', 'c', 'namespaced'].map((name) => `roles.${GROUP} "${name}" not found`);
    await expect(
      check.check({ user: jane, resource: 'roles', namespace: 'n', requestName: '', old: undefined, object }),
    ).rejects.toThrow(`; resolution errors: [[${missing.join(', ')}]]`);
  });
});

describe('bootstrap policy', () => {
  it('has the roles and bindings of kube-apiserver 1.37', () => {
    const policy = bootstrapPolicy();
    expect(policy.clusterroles).toHaveLength(73);
    expect(policy.clusterrolebindings).toHaveLength(54);
    expect(policy.roles).toHaveLength(7);
    expect(policy.rolebindings).toHaveLength(7);
  });

  it('adds what is missing to existing objects, and keeps additional permissions', () => {
    const expected = bootstrapPolicy().clusterroles.find(
      (r) => (r['metadata'] as { name: string }).name === 'cluster-admin',
    )!;
    expect(reconcileRole(expected, expected)).toEqual({ kind: 'none' });
    const less = { ...expected, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['x'] }] };
    expect(reconcileRole(less, expected)).toMatchObject({
      kind: 'update',
      object: {
        rules: [
          { verbs: ['get'], apiGroups: [''], resources: ['x'] },
          { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
          { verbs: ['*'], nonResourceURLs: ['*'] },
        ],
      },
    });
    const metadata = { name: 'x', annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } };
    expect(reconcileRole({ ...less, metadata }, expected)).toEqual({ kind: 'none' });
    const bound = bootstrapPolicy().clusterrolebindings[0]!;
    expect(reconcileBinding({ ...bound, subjects: [] }, bound)).toMatchObject({ kind: 'update', object: bound });
    expect(reconcileBinding({ ...bound, roleRef: { kind: 'ClusterRole', name: 'y' } }, bound).kind).toBe('recreate');
  });
});
