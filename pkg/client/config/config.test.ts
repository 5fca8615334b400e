import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClientConfig, clientConfig } from './connect.js';
import { inClusterConfig } from './incluster.js';
import { loadConfig } from './load.js';

let folder = '';
let now = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-config-'));
  now = 1_700_000_000_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(path, 'utf8');
const clock = { now: () => now, monotonic: () => now };

function write(name: string, value: object | string): string {
  const file = join(folder, name);
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

const cluster = (name: string, server: string, more: object = {}) => ({ name, cluster: { server, ...more } });
const context = (name: string, of: string, user: string, more: object = {}) => ({
  name,
  context: { cluster: of, user, ...more },
});

/** The configuration of a file with one cluster, one user and one context. */
function configOf(user: object, of: object = {}, isTerminal = false): ClientConfig {
  const file = write('one', {
    clusters: [cluster('c', 'https://h:1/base/', of)],
    users: [{ name: 'u', user }],
    contexts: [context('x', 'c', 'u')],
    'current-context': 'x',
  });
  return clientConfig(loadConfig({ file, env: {}, read }), { clock, env: process.env, isTerminal });
}

const headersOf = async (config: ClientConfig) => {
  const { authorization, certificate, headers } = await config.credentials();
  return { authorization: authorization?.(), certificate, headers };
};

describe('the files of KUBECONFIG', () => {
  it('are merged: the first that names an entry wins, whole, and missing ones are skipped', () => {
    const first = write('first', {
      clusters: [cluster('c', 'https://first:1')],
      users: [{ name: 'u', user: { token: 'first' } }],
    });
    const second = write('second', {
      clusters: [cluster('c', 'https://second:1', { 'tls-server-name': 'n' }), cluster('d', 'https://d:1')],
      users: [{ name: 'u', user: { token: 'second', as: 'other' } }],
      contexts: [context('x', 'c', 'u', { namespace: 'n' })],
      'current-context': 'x',
    });
    const third = write('third', { contexts: [context('x', 'd', 'u')], 'current-context': 'y' });
    const loaded = loadConfig({ env: { KUBECONFIG: `:${first}:${join(folder, 'none')}:${second}:${third}` }, read });
    expect(loaded.currentContext).toBe('x');
    expect(loaded.files).toEqual([first, second, third]);
    expect([...loaded.clusters.keys()]).toEqual(['c', 'd']);
    const config = clientConfig(loaded, { clock, env: {}, isTerminal: false });
    expect(config).toMatchObject({ origin: 'https://first:1', namespace: 'n', serverName: undefined });
  });

  it('are resolved each from its own folder', () => {
    const file = write('a', { clusters: [cluster('c', 'https://h:1', { 'certificate-authority': 'ca.crt' })] });
    write('ca.crt', 'AUTHORITY');
    const other = mkdtempSync(join(tmpdir(), 'trireme-config-'));
    try {
      const main = join(other, 'main');
      writeFileSync(main, JSON.stringify({ contexts: [context('x', 'c', '')], 'current-context': 'x' }));
      const loaded = loadConfig({ env: { KUBECONFIG: `${main}:${file}` }, read });
      expect(clientConfig(loaded, { clock, env: {}, isTerminal: false }).ca).toBe('AUTHORITY');
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it.each([
    [{ clusters: [cluster('c', 'https://a:1'), cluster('c', 'https://b:1')] }, 'duplicate name "c" in list'],
    [{ users: [{ name: 'u', user: { token: 5 } }] }, 'users[0].user.token must be string'],
    [{ contexts: [{ name: 'x', context: {} }] }, "contexts[0].context must have required property 'cluster'"],
  ])('%j is rejected with the path', (value, problem) => {
    expect(() => loadConfig({ file: write('bad', value), env: {}, read })).toThrow(problem);
  });

  it('must exist if they are named by a flag', () => {
    expect(() => loadConfig({ file: join(folder, 'none'), env: {}, read })).toThrow('cannot read the kubeconfig');
    expect(() => loadConfig({ env: { HOME: folder }, read })).toThrow(join(folder, '.kube', 'config'));
  });
});

describe('a cluster and a user', () => {
  it('give the server, its path and the headers of the user', async () => {
    const user = { token: 't', as: 'jane', 'as-groups': ['a', 'b'], 'as-user-extra': { 'Some/Key': ['v'] } };
    const config = configOf(user, { 'tls-server-name': 'n', 'insecure-skip-tls-verify': true });
    expect(config).toMatchObject({ origin: 'https://h:1', path: '/base', serverName: 'n', insecure: true });
    expect(await headersOf(config)).toMatchObject({
      authorization: 'Bearer t',
      headers: { 'impersonate-user': 'jane', 'impersonate-group': ['a', 'b'], 'impersonate-extra-some%2fkey': ['v'] },
    });
    const basic = await headersOf(configOf({ username: 'u', password: 'p' }));
    expect(basic.authorization).toBe('Basic dTpw');
  });

  it('read a token file again', async () => {
    write('token', 'one\n');
    const config = configOf({ tokenFile: 'token', token: 'given' });
    const { authorization } = await config.credentials();
    expect(authorization!()).toBe('Bearer one');
    write('token', 'two');
    expect(authorization!()).toBe('Bearer one');
    now += 11_000;
    expect(authorization!()).toBe('Bearer two');
    rmSync(join(folder, 'token'));
    now += 11_000;
    expect(authorization!()).toBe('Bearer two');
  });

  it.each([
    [{ 'client-certificate-data': 'Qw==' }, {}, 'client-certificate and client-key must be specified together'],
    [{ 'auth-provider': { name: 'gcp' } }, {}, 'auth provider not supported'],
    [{}, { server: 'https://17.:x' }, 'server "https://17.:x" of cluster'],
    [{}, { 'proxy-url': 'ftp://h' }, 'only http and https proxies'],
    [{}, { 'proxy-url': '::' }, 'invalid \'proxy-url\' "::" for cluster "c"'],
    [{}, { 'insecure-skip-tls-verify': true, 'certificate-authority-data': 'Qw==' }, 'with the insecure flag'],
  ])('%j of %j: the error says what is wrong', (user, of, problem) => {
    expect(() => configOf(user, of)).toThrow(problem);
  });
});

describe('an exec plug-in', () => {
  /** A plug-in that prints what `answer` has, and records each run with its KUBERNETES_EXEC_INFO. */
  function plugin(status: object, version = 'v1'): string {
    const answer = { apiVersion: `client.authentication.k8s.io/${version}`, kind: 'ExecCredential', status };
    write('answer', answer);
    const file = write('plugin', '#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> "$RUNS"\ncat "$ANSWER"\n');
    chmodSync(file, 0o755);
    return file;
  }
  const exec = (more: object = {}) => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      interactiveMode: 'Never',
      env: [
        { name: 'RUNS', value: join(folder, 'runs') },
        { name: 'ANSWER', value: join(folder, 'answer') },
      ],
      ...more,
    },
  });
  const runs = () =>
    read(join(folder, 'runs'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);

  it('runs once for all requests, until its credential expires or is refused', async () => {
    plugin({ token: 'a', expirationTimestamp: new Date(now + 60_000).toISOString() });
    const config = configOf(exec());
    const all = await Promise.all([1, 2, 3].map(() => headersOf(config)));
    expect(all.map(({ authorization }) => authorization)).toEqual(['Bearer a', 'Bearer a', 'Bearer a']);
    expect(runs()).toEqual([
      { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', spec: { interactive: false } },
    ]);
    plugin({ token: 'b' });
    expect((await headersOf(config)).authorization).toBe('Bearer a');
    now += 61_000;
    expect((await headersOf(config)).authorization).toBe('Bearer b');
    plugin({ token: 'c' });
    now += 3600_000;
    expect((await headersOf(config)).authorization).toBe('Bearer b');
    expect(config.refused()).toBe(true);
    expect((await headersOf(config)).authorization).toBe('Bearer c');
    expect(runs()).toHaveLength(3);
  });

  it('may return a certificate, and learns of the cluster if it asks for that', async () => {
    plugin({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }, 'v1beta1');
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }];
    const more = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      provideClusterInfo: true,
      interactiveMode: null,
    };
    const of = { 'tls-server-name': 'n', 'certificate-authority-data': 'Q0E=', extensions };
    const { certificate } = await headersOf(configOf(exec(more), of, true));
    expect(certificate).toEqual({ cert: 'CERT', key: 'KEY' });
    const expected = {
      server: 'https://h:1/base/',
      'tls-server-name': 'n',
      'certificate-authority-data': 'Q0E=',
      config: { audience: 'x' },
    };
    expect(runs()).toMatchObject([{ spec: { cluster: expected, interactive: true } }]);
  });

  it('is not asked if the user has a token', async () => {
    expect((await headersOf(configOf({ ...exec(), token: 't' }))).authorization).toBe('Bearer t');
  });

  it('may print YAML', async () => {
    const output = 'apiVersion: client.authentication.k8s.io/v1\nkind: ExecCredential\nstatus: {token: a}\n';
    const config = configOf(exec({ command: 'printf', args: ['%s', output] }));
    expect((await headersOf(config)).authorization).toBe('Bearer a');
  });

  it.each([
    [
      {},
      'v1beta1',
      { token: 'a' },
      'is configured to use API version client.authentication.k8s.io/v1, plugin returned',
    ],
    [{}, 'v1', {}, "exec plugin didn't return a token or cert/key pair"],
    [{}, 'v1', { clientKeyData: 'k' }, 'exec plugin returned only certificate or key, not both'],
    [
      { interactiveMode: 'Always' },
      'v1',
      { token: 'a' },
      'getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal',
    ],
    [{ command: 'no-such-plugin', installHint: 'Install it.' }, 'v1', {}, 'not found\n\nInstall it.'],
    [{ command: 'false' }, 'v1', {}, 'executable false failed with exit code 1'],
    [
      { command: 'echo', args: ['no'] },
      'v1',
      {},
      "decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal bool into Go value of type",
    ],
    [{ command: 'true' }, 'v1', {}, 'plugin returned version client.authentication.k8s.io/__internal'],
    [
      { command: 'echo', args: ['kind: A\napiVersion: b'] },
      'v1',
      {},
      'no kind "A" is registered for version "b" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { command: 'echo', args: ['{'] },
      'v1',
      {},
      "decoding stdout: couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    [{}, 'v1', { token: 5 }, 'json: cannot unmarshal number into Go struct field ExecCredentialStatus.status.token'],
    [{}, 'v1', { token: 'a', expirationTimestamp: 'soon' }, 'decoding stdout: parsing time "soon" as "2006-01-02T15:'],
  ])('%j that answers in %s with %j fails the request', async (more, version, status, problem) => {
    plugin(status, version);
    await expect(headersOf(configOf(exec(more)))).rejects.toThrow(problem);
  });

  it.each([
    [{ command: '' }, 'command must be specified for u'],
    [{ apiVersion: '' }, 'apiVersion must be specified for u'],
    [{ interactiveMode: '' }, 'interactiveMode must be specified for u'],
    [{ interactiveMode: 'Often' }, 'invalid interactiveMode for u: "Often"'],
    [{ apiVersion: 'client.authentication.k8s.io/v1alpha1' }, 'invalid apiVersion'],
  ])('%j is not a valid configuration', (more, problem) => {
    expect(() => configOf(exec(more))).toThrow(problem);
  });
});

describe('the configuration in a pod', () => {
  it('has the server of the environment, and the files of the service account', async () => {
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const parts = { clock, env, isTerminal: false };
    expect(() => inClusterConfig(parts, folder)).toThrow('token: no such file');
    write('token', 't');
    write('namespace', 'n\n');
    write('ca.crt', 'CA');
    const config = inClusterConfig(parts, folder);
    expect(config).toMatchObject({ origin: 'https://[fd00::1]:443', namespace: 'n', ca: 'CA' });
    expect((await headersOf(config)).authorization).toBe('Bearer t');
    expect(() => inClusterConfig({ ...parts, env: {} }, folder)).toThrow('must be defined');
  });
});
