import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { TestObjects } from '../testing.js';
import { bootstrapTokenAuthenticator } from './bootstraptoken.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const SECRETS = { group: '', resource: 'secrets' };
const TOKEN = 'abcdef.0123456789abcdef';

let now: number;
let objects: TestObjects;

const encoded = (fields: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));

const put = (fields: Readonly<Record<string, string>> = {}, more: JsonObject = {}, name = 'abcdef'): void =>
  objects.put(SECRETS, 'kube-system', `bootstrap-token-${name}`, {
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: `bootstrap-token-${name}`, namespace: 'kube-system' },
    data: encoded({
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      ...fields,
    }),
    ...more,
  });

const ask = async (token = TOKEN) =>
  bootstrapTokenAuthenticator(objects, { now: () => now, monotonic: () => 0 }).authenticateToken(token);

const groups = async (extra: string): Promise<readonly string[] | undefined> => {
  put({ 'auth-extra-groups': extra });
  const found = await ask();
  return found.kind === 'authenticated' ? found.user.groups : undefined;
};

beforeEach(() => {
  now = NOW;
  objects = new TestObjects();
});

describe('bootstrap tokens', () => {
  it('authenticate as a user of their own, in the group of bootstrappers', async () => {
    put();
    expect(await ask()).toEqual({
      kind: 'authenticated',
      user: { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] },
    });
  });

  it.each([
    ['no dot', 'abcdef0123456789abcdef'],
    ['a short secret', 'abcdef.0123456789abcde'],
    ['a long secret', `${TOKEN}0`],
    ['another part', `${TOKEN}.x`],
    ['capital letters', TOKEN.toUpperCase()],
    ['a line break', `${TOKEN}\n`],
    ['another id', 'abcdeg.0123456789abcdef'],
    ['another secret', 'abcdef.0123456789abcdeg'],
  ])('are unknown with %s', async (_, token) => {
    put();
    expect((await ask(token)).kind).toBe('none');
  });

  it.each<[string, Record<string, string>, JsonObject]>([
    ['another type', {}, { type: 'Opaque' }],
    ['no data', {}, { data: {} }],
    ['another id', { 'token-id': 'abcdeg' }, {}],
    ['a longer secret', { 'token-secret': '0123456789abcdef0' }, {}],
    ['no permission', { 'usage-bootstrap-authentication': 'false' }, {}],
    ['a permission in other words', { 'usage-bootstrap-authentication': 'True' }, {}],
    ['a deletion that is pending', {}, { metadata: { deletionTimestamp: '2025-12-31T00:00:00Z' } }],
    ['an end that is now', { expiration: '2026-01-01T00:00:00Z' }, {}],
    ['an end that is not RFC 3339', { expiration: '2036' }, {}],
    ['an end in small letters', { expiration: '2036-01-01t00:00:00z' }, {}],
    ['a group outside the prefix', { 'auth-extra-groups': 'system:bootstrappers:a,system:masters' }, {}],
  ])('are unknown if the Secret has %s', async (_, fields, more) => {
    put(fields, more);
    expect((await ask()).kind).toBe('none');
  });

  it('are unknown in another namespace', async () => {
    put();
    objects.put(
      SECRETS,
      'default',
      'bootstrap-token-abcdef',
      objects.get(SECRETS, 'kube-system', 'bootstrap-token-abcdef'),
    );
    objects.put(SECRETS, 'kube-system', 'bootstrap-token-abcdef', undefined);
    expect((await ask()).kind).toBe('none');
  });

  it('are valid until they expire', async () => {
    put({ expiration: '2026-01-01T02:00:10+02:00' });
    expect((await ask()).kind).toBe('authenticated');
    now += 9_999;
    expect((await ask()).kind).toBe('authenticated');
    now += 1;
    expect((await ask()).kind).toBe('none');
  });

  it('add groups whose names have the prefix, sorted and once', async () => {
    expect(await groups('system:bootstrappers:z,system:bootstrappers:a:b-1,system:bootstrappers:z')).toEqual([
      'system:bootstrappers',
      'system:bootstrappers:a:b-1',
      'system:bootstrappers:z',
    ]);
    for (const extra of ['system:bootstrappers', 'system:bootstrappers:', 'system:bootstrappers:a-', ',', 'x'])
      expect(await groups(extra)).toBeUndefined();
    expect(await groups('system:bootstrappers:a, system:bootstrappers:b')).toBeUndefined();
    expect(await groups(`system:bootstrappers:${'a'.repeat(256)}`)).toHaveLength(2);
    expect(await groups(`system:bootstrappers:${'a'.repeat(257)}`)).toBeUndefined();
  });

  it('are judged on current objects', async () => {
    put();
    let confirm = (): void => {};
    objects.waiting = new Promise((resolve) => {
      confirm = resolve;
    });
    const found = ask();
    objects.put(SECRETS, 'kube-system', 'bootstrap-token-abcdef', undefined);
    confirm();
    expect((await found).kind).toBe('none');
  });
});
