import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Offline, runCtl } from '../../pkg/client/index.js';
import { kubeconfigText, requestCertificate, startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

let server: TestApiServer;
let folder: string;
beforeAll(async () => {
  server = await startApiServer();
  folder = mkdtempSync(join(tmpdir(), 'trireme-kubeconfig-'));
});
afterAll(async () => {
  await server?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

async function ctl(...line: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const offline: Partial<Offline> = {
    requestCertificate,
    kubeconfigText: async (parts) => kubeconfigText(parts),
    writeSecret: async (file, text) => writeFileSync(file, text, { mode: 0o600, flag: 'wx' }),
  };
  const code = await runCtl(line, {
    offline: offline as Offline,
    version: '0',
    env: { KUBECONFIG: server.kubeconfigPath },
    print: (text) => (out += text),
    complain: (text) => (err += text),
  });
  return { code, out, err };
}

/** Who the server says that the user of a kubeconfig is. */
async function whoAmI(kubeconfig: string): Promise<unknown> {
  const { clusters, users } = parse(kubeconfig);
  const { cluster } = clusters[0];
  const { user } = users[0];
  const pem = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString();
  const credentials = {
    url: cluster.server,
    ca: pem(cluster['certificate-authority-data']),
    cert: pem(user['client-certificate-data']),
    key: pem(user['client-key-data']),
  };
  const client = new Client(credentials, { anonymous: user.token !== undefined });
  const reply = await client.ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    method: 'POST',
    headers: user.token === undefined ? {} : { authorization: `Bearer ${user.token}` },
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  client.close();
  const { username, groups } = reply.json().status.userInfo;
  return { username, groups };
}

describe('triremectl kubeconfig', () => {
  it('makes a certificate for a user with groups, and leaves no request behind', async () => {
    const { code, out, err } = await ctl('kubeconfig', '--user', 'jane', '--groups', 'devs,ops', '--duration', '2h');
    expect([code, err]).toEqual([0, '']);
    // An issued certificate has its groups in the order of their bytes, length first.
    expect(await whoAmI(out)).toEqual({ username: 'jane', groups: ['ops', 'devs', 'system:authenticated'] });
    expect(parse(out)['current-context']).toBe('jane@trireme');
    const admin = new Client(server);
    const found = await admin.ask('/apis/certificates.k8s.io/v1/certificatesigningrequests');
    admin.close();
    expect(found.json().items).toEqual([]);
  });

  it('makes a token for a service account, in a new file for its owner only', async () => {
    const file = join(folder, 'sa.kubeconfig');
    const line = ['kubeconfig', '--service-account', 'kube-system/default', '--out', file] as const;
    expect(await ctl(...line)).toEqual({ code: 0, out: `export KUBECONFIG=${file}\n`, err: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await whoAmI(readFileSync(file, 'utf8'))).toMatchObject({
      username: 'system:serviceaccount:kube-system:default',
    });
    expect(await ctl(...line)).toMatchObject({ code: 1, err: `${file} exists already` });
  });

  it.each([
    [['--user', 'a', '--service-account', 'b/c'], 'kubeconfig needs either --user or --service-account'],
    [[], 'kubeconfig needs either --user or --service-account'],
    [['--service-account', 'b/c', '--groups', 'x'], '--groups needs --user'],
    [['--user', 'a', '--duration', 'soon'], '--duration: "soon" must be a time such as 12h or 30d'],
    [['--service-account', 'default/nobody'], 'serviceaccounts "nobody" not found'],
    [['--service-account', 'default'], '--service-account must be NAMESPACE/NAME'],
    [['--user', 'a', '--groups', 'system:masters'], 'system:masters'],
  ] as const)('refuses %j', async (flags, message) => {
    const { code, out, err } = await ctl('kubeconfig', ...flags);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });
});
