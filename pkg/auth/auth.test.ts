import type { PeerCertificate } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/index.js';
import { ImpersonationMetrics } from '../telemetry/index.js';
import { decodeExtraKey } from './impersonate.js';
import {
  type Attributes,
  authorizerChain,
  certificateUser,
  forbidden,
  type HeaderLines,
  Impersonator,
  type ResourceAttributes,
  type UserInfo,
  wantsImpersonation,
  withAuthenticatedGroup,
} from './index.js';

const admin: UserInfo = { name: 'admin', groups: ['system:masters'] };
const jane: UserInfo = { name: 'jane', groups: ['system:authenticated'] };
const authorizer = authorizerChain([]);
const impersonatorBy = (
  by: ConstructorParameters<typeof Impersonator>[0],
  constrained: boolean,
  metrics = new ImpersonationMetrics(),
) => new Impersonator(by, { constrained, clock: { now: () => 0, monotonic: () => 0 }, metrics });
const impersonate = (
  user: UserInfo,
  of: HeaderLines,
  by: ConstructorParameters<typeof Impersonator>[0],
  constrained = false,
) =>
  impersonatorBy(by, constrained)
    .impersonate(user, of, pods)
    .then((found) => found.user);
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

function certificate(subject: Record<string, unknown>, more: Partial<PeerCertificate> = {}): PeerCertificate {
  return {
    subject,
    raw: Buffer.from('x'),
    valid_to: 'May  1 00:00:00 2027 GMT',
    ...more,
  } as unknown as PeerCertificate;
}

describe('the user of a client certificate', () => {
  it('has its common name, and its organisations as groups', () => {
    const found = certificateUser({
      verified: true,
      certificate: certificate({ CN: 'kubernetes-admin', O: ['system:masters', 'b'] }),
    });
    expect(found?.user).toMatchObject({
      name: 'kubernetes-admin',
      groups: ['system:masters', 'b'],
    });
    expect(found?.validUntil).toBe(Date.parse('2027-05-01T00:00:00Z'));
  });

  it('has the last of several names', () => {
    const found = certificateUser({ verified: true, certificate: certificate({ CN: ['a', 'b'] }) });
    expect(found?.user.name).toBe('b');
  });

  it('is absent if the certificate is not verified, has no common name or is not a client certificate', () => {
    expect(certificateUser({ verified: false, certificate: certificate({ CN: 'a' }) })).toBeUndefined();
    expect(certificateUser({ verified: true, certificate: certificate({ O: 'system:masters' }) })).toBeUndefined();
    expect(
      certificateUser({
        verified: true,
        certificate: certificate({ CN: 'a' }, { ext_key_usage: ['1.3.6.1.5.5.7.3.1'] }),
      }),
    ).toBeUndefined();
  });

  it('does not come from separators inside a name', () => {
    const found = certificateUser({ verified: true, certificate: certificate({ CN: 'eve\nO=system:masters' }) });
    expect(found?.user.groups).toEqual([]);
  });
});

describe('403 responses', () => {
  it('have the text of kube-apiserver', () => {
    expect(forbidden(jane, pods, '').message).toBe(
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "n"',
    );
    expect(
      forbidden(
        jane,
        {
          ...pods,
          group: 'apps',
          resource: 'deployments',
          subresource: 'scale',
          name: 'd',
          verb: 'get',
          namespace: '',
        },
        'x',
      ).message,
    ).toBe(
      'deployments.apps "d" is forbidden: User "jane" cannot get resource "deployments/scale" in API group "apps" at the cluster scope: x',
    );
  });

  it('have no markup, but for the reason', () => {
    expect(forbidden({ name: 'a&b', groups: [] }, { kind: 'path', verb: 'get', path: '/<b>' }, '<i>').message).toBe(
      'forbidden: User "a&amp;b" cannot get path "/&lt;b&gt;": <i>',
    );
  });
});

/** A request with these header lines, one for each value. */
function request(values: Readonly<Record<string, string | readonly string[]>>): HeaderLines {
  const headers = Object.fromEntries(Object.entries(values).map(([name, v]) => [name, [v].flat().join(', ')]));
  return { headers, lines: (name) => (Object.hasOwn(values, name) ? [values[name]!].flat() : []) };
}

describe('impersonation', () => {
  it('takes the user from the headers', async () => {
    const headers = {
      'impersonate-user': 'jane',
      'impersonate-uid': 'u',
      'impersonate-extra-acme.com%2fproject': 'p',
      'impersonate-extra-scopes': ['a, b', 'c'],
      'impersonate-group': ['dev', 'ops'],
    };
    expect(wantsImpersonation(request(headers))).toBe(true);
    expect(await impersonate(admin, request(headers), authorizer)).toEqual({
      name: 'jane',
      uid: 'u',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'acme.com/project': ['p'], scopes: ['a, b', 'c'] },
    });
    expect(
      (await impersonate(admin, request({ 'impersonate-user': 'system:serviceaccount:n:default' }), authorizer)).groups,
    ).toEqual(['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated']);
    expect((await impersonate(admin, request({ 'impersonate-user': 'system:anonymous' }), authorizer)).groups).toEqual([
      'system:unauthenticated',
    ]);
  });

  it('does not start with empty headers', async () => {
    expect(wantsImpersonation(request({ 'impersonate-user': '', 'impersonate-uid': '' }))).toBe(false);
    expect(wantsImpersonation(request({ 'impersonate-user': '', 'impersonate-group': '' }))).toBe(true);
    expect(wantsImpersonation(request({ 'impersonate-user': ['', 'jane'] }))).toBe(false);
    expect(wantsImpersonation(request({ 'impersonate-user': ['jane', ''] }))).toBe(true);
  });

  it('treats a name as a service account only if it is valid', async () => {
    const asked: string[] = [];
    const asks = {
      authorize: (_: UserInfo, a: { kind: string; resource?: string }) => {
        asked.push(a.resource!);
        return { kind: 'allow' as const, reason: '' };
      },
    };
    const as = (name: string) => impersonate(jane, request({ 'impersonate-user': name }), asks);
    expect((await as('system:serviceaccount:n:a.b')).groups).toContain('system:serviceaccounts:n');
    expect((await as('system:serviceaccount:N:a')).groups).toEqual(['system:authenticated']);
    expect((await as('system:serviceaccount:n:a/b')).groups).toEqual(['system:authenticated']);
    expect(asked).toEqual(['serviceaccounts', 'users', 'users']);
  });

  it('is authorized part by part', async () => {
    await expect(impersonate(jane, request({ 'impersonate-user': 'bob' }), authorizer)).rejects.toThrow(
      'users "bob" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    const justBob = {
      authorize: (_: UserInfo, a: { kind: string; name?: string }) => ({
        kind: a.name === 'bob' ? ('allow' as const) : ('noOpinion' as const),
        reason: '',
      }),
    };
    await expect(
      impersonate(jane, request({ 'impersonate-user': 'bob', 'impersonate-group': 'g' }), justBob),
    ).rejects.toThrow('groups "g" is forbidden');
    await expect(
      impersonate(jane, request({ 'impersonate-user': 'bob', 'impersonate-extra-s': 'a' }), justBob),
    ).rejects.toThrow(
      'userextras.authentication.k8s.io "a" is forbidden: User "jane" cannot impersonate resource "userextras/s"',
    );
    await expect(impersonate(admin, request({ 'impersonate-uid': 'u' }), authorizer)).rejects.toBeInstanceOf(ApiError);
  });

  describe('constrained', () => {
    const allowing = (...allowed: readonly string[]) => {
      const asked: string[] = [];
      const by = {
        authorize: (_: UserInfo, a: Attributes) => {
          const text =
            a.kind === 'path'
              ? a.path
              : `${a.verb} ${a.resource}${a.subresource === '' ? '' : `/${a.subresource}`} ${a.name}`;
          asked.push(text);
          return { kind: allowed.includes(text) ? ('allow' as const) : ('noOpinion' as const), reason: '' };
        },
      };
      return { asked, by };
    };
    const wants = (headers: Readonly<Record<string, string | readonly string[]>>, caller = jane) => ({
      with: (by: ConstructorParameters<typeof Impersonator>[0]) => impersonate(caller, request(headers), by, true),
    });

    it('requires permission for the request and for each part of the user', async () => {
      const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'g', 'impersonate-extra-a.io%2fk': 'v' };
      const parts = ['impersonate:user-info users bob', 'impersonate:user-info groups g'];
      const all = ['impersonate-on:user-info:list pods ', ...parts, 'impersonate:user-info userextras/a.io/k v'];
      const { by, asked } = allowing(...all);
      expect((await wants(headers).with(by)).groups).toEqual(['g', 'system:authenticated']);
      expect(asked).toEqual(all);
      for (const missing of all)
        await expect(wants(headers).with(allowing(...all.filter((p) => p !== missing)).by)).rejects.toBeInstanceOf(
          ApiError,
        );
    });

    it('reports the first denial, and first tries the mode that last succeeded for the caller', async () => {
      await expect(wants({ 'impersonate-user': 'bob' }).with(allowing().by)).rejects.toThrow(
        'cannot impersonate-on:user-info:list resource "pods"',
      );
      const { by } = allowing('impersonate users bob');
      const metrics = new ImpersonationMetrics();
      const impersonator = impersonatorBy(by, true, metrics);
      const as = (name: string) =>
        impersonator.impersonate(jane, request({ 'impersonate-user': name }), pods).then(({ user }) => user);
      expect((await as('bob')).name).toBe('bob');
      await expect(as('eve')).rejects.toThrow(
        'users "eve" is forbidden: User "jane" cannot impersonate resource "users"',
      );
      const counted = ({ families }: { readonly families: ImpersonationMetrics['attempts']['families'] }) =>
        families[0].get().values.map(({ labels, value }) => `${labels['mode']} ${labels['decision']} ${value}`);
      expect(counted(metrics.attempts)).toEqual(['legacy allowed 1', ' denied 1']);
      expect(counted(metrics.checks)).toEqual(['user-info denied 2', 'legacy allowed 1', 'legacy denied 1']);
    });

    it('gives nodes their group, and lets an account impersonate the node that it runs on', async () => {
      const arbitrary = ['impersonate-on:arbitrary-node:list pods ', 'impersonate:arbitrary-node nodes n1'];
      const node = { 'impersonate-user': 'system:node:n1' };
      expect(await wants(node).with(allowing(...arbitrary).by)).toEqual({
        name: 'system:node:n1',
        groups: ['system:nodes', 'system:authenticated'],
      });
      const agent: UserInfo = {
        name: 'system:serviceaccount:n:agent',
        groups: [],
        extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
      };
      const own = allowing('impersonate-on:associated-node:list pods ', 'impersonate:associated-node nodes *').by;
      expect((await wants(node, agent).with(own)).name).toBe('system:node:n1');
      await expect(wants({ 'impersonate-user': 'system:node:n2' }, agent).with(own)).rejects.toBeInstanceOf(ApiError);
    });

    it.each([
      [{ 'impersonate-group': 'system:masters' }, 'impersonating the system:masters group is not allowed'],
      [{ 'impersonate-group': '' }, 'impersonating the empty string group is not allowed'],
      [{ 'impersonate-extra-scopes': 'v' }, 'must be a domain-prefixed path (such as "acme.io/foo")'],
      [{ 'impersonate-extra-a.io%2fb': '' }, 'impersonating the empty string value in extra is not allowed'],
    ])('refuses %j', async (headers, reason) => {
      const by = {
        authorize: (_: UserInfo, a: Attributes) =>
          ({ kind: a.verb === 'impersonate' ? 'noOpinion' : 'allow', reason: '' }) as const,
      };
      await expect(wants({ 'impersonate-user': 'bob', ...headers }).with(by)).rejects.toThrow(reason);
    });

    it('makes one check for many groups', async () => {
      const { by, asked } = allowing(
        'impersonate-on:user-info:list pods ',
        'impersonate:user-info users bob',
        'impersonate:user-info groups *',
      );
      await wants({ 'impersonate-user': 'bob', 'impersonate-group': ['a', 'b', 'c', 'd'] }).with(by);
      expect(asked.at(-1)).toBe('impersonate:user-info groups *');
    });
  });
});

it('the same user gets the same value with the group of authenticated users', () => {
  const user: UserInfo = { name: 'joe', groups: ['devs'] };
  const known = withAuthenticatedGroup(user);
  expect(known.groups).toEqual(['devs', 'system:authenticated']);
  expect(withAuthenticatedGroup(user)).toBe(known);
  expect(withAuthenticatedGroup(known)).toBe(known);
});

describe('keys of extras in header names', () => {
  it.each([
    ['a%2Fb', 'a/b'],
    ['A%2fB', 'a/b'],
    ['x%C3%A9', 'xé'],
    ['a%ffb', 'a\ufffdb'],
    ['a%00b', 'a\u0000b'],
    ['a%zz', 'a%zz'],
    ['a%2fb%', 'a%2fb%'],
    ['a%2', 'a%2'],
    ['__proto__', '__proto__'],
  ])('%s is %j, as in kube-apiserver', (raw, key) => {
    expect(decodeExtraKey(raw)).toBe(key);
  });
});
