import { describe, expect, it } from 'vitest';
import { bootstrapFlowControl } from './bootstrap.js';
import { flowConfig } from './config.js';
import { covers, distinguisherOf, type FlowRequest, flowSchemaOf, rulesFor } from './matching.js';

const bootstrap = bootstrapFlowControl();
const { schemas } = flowConfig(bootstrap.flowschemas, bootstrap.prioritylevelconfigurations);

const AUTHENTICATED = 'system:authenticated';
const user = (name: string, ...groups: string[]) => ({ name, groups: [...groups, AUTHENTICATED] });
const CONTROLLER_MANAGER = user('system:kube-controller-manager');
const NODE = user('system:node:n1', 'system:nodes');
const account = (namespace: string, name: string) =>
  user(`system:serviceaccount:${namespace}:${name}`, 'system:serviceaccounts', `system:serviceaccounts:${namespace}`);
const ANONYMOUS = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

const lease = (verb: string) => ({
  verb,
  resource: { group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-system' },
});
const pods = (verb: string, namespace = 'default') => ({ verb, resource: { group: '', resource: 'pods', namespace } });
const path = (text: string) => ({ verb: 'get', resource: undefined, path: text });

function match(by: FlowRequest['user'], what: Omit<FlowRequest, 'user' | 'path'> & { path?: string }) {
  const request: FlowRequest = { path: '', ...what, user: by };
  const schema = schemas.find((s) => covers(rulesFor(s, by), request))!;
  return [schema.name, schema.level, distinguisherOf(schema, request)];
}

describe('the bootstrap flow schemas', () => {
  it.each([
    ['an administrator', user('admin', 'system:masters'), pods('list'), ['exempt', 'exempt', '']],
    ['a probe without credentials', ANONYMOUS, path('/readyz'), ['probes', 'exempt', '']],
    ['a single check', ANONYMOUS, path('/readyz/ping'), ['global-default', 'global-default', 'system:anonymous']],
    [
      'leader election',
      CONTROLLER_MANAGER,
      lease('update'),
      ['system-leader-election', 'leader-election', CONTROLLER_MANAGER.name],
    ],
    [
      'a watch of leases',
      CONTROLLER_MANAGER,
      lease('watch'),
      ['kube-controller-manager', 'workload-high', 'kube-system'],
    ],
    ['a controller', CONTROLLER_MANAGER, pods('create', 'a'), ['kube-controller-manager', 'workload-high', 'a']],
    [
      'the status of a node',
      NODE,
      { verb: 'patch', resource: { group: '', resource: 'nodes/status', namespace: '' } },
      ['system-node-high', 'node-high', NODE.name],
    ],
    ['pods of a node', NODE, pods('list', ''), ['system-nodes', 'system', NODE.name]],
    [
      'an account of kube-system',
      account('kube-system', 'dns'),
      pods('list', 'b'),
      ['kube-system-service-accounts', 'workload-high', 'b'],
    ],
    [
      'an account',
      account('team', 'ci'),
      pods('list'),
      ['service-accounts', 'workload-low', 'system:serviceaccount:team:ci'],
    ],
    ['a person', user('jane'), pods('get'), ['global-default', 'global-default', 'jane']],
  ] as const)('match %s', (_what, by, what, expected) => {
    expect(match(by, what)).toEqual(expected);
  });
});

describe('a flow schema', () => {
  const of = (rule: object) =>
    flowSchemaOf({
      metadata: { name: 'x' },
      spec: { priorityLevelConfiguration: { name: 'l' }, rules: [rule] },
    } as never);
  const everybody = [{ kind: 'Group', group: { name: '*' } }];
  const covered = (schema: ReturnType<typeof of>, by: FlowRequest['user'], what: Omit<FlowRequest, 'user' | 'path'>) =>
    covers(rulesFor(schema, by), { path: '', ...what, user: by });

  it('covers cluster-scoped requests only with clusterScope', () => {
    const rule = { verbs: ['*'], apiGroups: [''], resources: ['pods'], namespaces: ['a'] };
    const plain = of({ subjects: everybody, resourceRules: [rule] });
    const wide = of({ subjects: everybody, resourceRules: [{ ...rule, clusterScope: true }] });
    for (const [namespace, expected] of [
      ['a', [true, true]],
      ['b', [false, false]],
      ['', [false, true]],
    ] as const)
      expect([plain, wide].map((s) => covered(s, user('u'), pods('get', namespace)))).toEqual(expected);
  });

  it('covers subresources only by their full names', () => {
    const schema = of({
      subjects: everybody,
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'], namespaces: ['*'] }],
    });
    expect(covered(schema, user('u'), pods('get'))).toBe(false);
    expect(
      covered(schema, user('u'), { verb: 'get', resource: { group: '', resource: 'pods/log', namespace: 'a' } }),
    ).toBe(true);
  });

  it('matches a service account only by its own name', () => {
    const schema = of({
      subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } }],
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
    });
    expect(covered(schema, account('a', 'b'), pods('get'))).toBe(true);
    expect(covered(schema, account('a', 'bb'), pods('get'))).toBe(false);
    expect(covered(schema, user('b'), pods('get'))).toBe(false);
  });

  it('matches paths exactly or by prefix', () => {
    const schema = of({
      subjects: everybody,
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/debug/*'] }],
    });
    const at = (text: string, verb = 'get') =>
      covers(rulesFor(schema, user('u')), { user: user('u'), verb, resource: undefined, path: text });
    expect([at('/healthz'), at('/healthz/ping'), at('/debug/x'), at('/debug'), at('/healthz', 'post')]).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
  });
});

describe('the configuration', () => {
  it('has the mandatory objects even if none is stored, and omits schemas of unknown levels', () => {
    const dangling = {
      metadata: { name: 'd' },
      spec: { matchingPrecedence: 3, priorityLevelConfiguration: { name: 'none' } },
    };
    const config = flowConfig([dangling as never], []);
    expect(config.schemas.map(({ name }) => name)).toEqual(['exempt', 'catch-all']);
    expect(config.levels.map(({ name }) => name)).toEqual(['exempt', 'catch-all']);
  });

  it('orders schemas by precedence, then by name', () => {
    const named = (name: string, matchingPrecedence: number) => ({
      metadata: { name },
      spec: { matchingPrecedence, priorityLevelConfiguration: { name: 'exempt' } },
    });
    const { schemas: ordered } = flowConfig([named('b', 7), named('c', 3), named('a', 7)] as never[], []);
    expect(ordered.map(({ name }) => name)).toEqual(['exempt', 'c', 'a', 'b', 'catch-all']);
  });
});
