import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startWithFlags } from '../../pkg/server/library.js';
import { call } from './client.js';
import { ACTORS, probe } from './table.js';

/** What kube-apiserver 1.37.2 answered. To record it again, name the folder of a running one in TRIREME_REFERENCE. */
const recorded = fileURLToPath(new URL('table.json', import.meta.url));
const reference = process.env['TRIREME_REFERENCE'];

/** Rows that are the same are kept once: `[paths, codes by method]`. */
type Table = readonly (readonly [paths: readonly string[], codes: Readonly<Record<string, string>>])[];

it.runIf(reference !== undefined)('records kube-apiserver', async () => {
  const file = (name: string): string => readFileSync(join(reference!, 'pki', name), 'utf8');
  const url = /server: "([^"]+)"/.exec(readFileSync(join(reference!, 'kubeconfig'), 'utf8'))![1]!;
  const rows = await probe({ url, cert: file('admin.crt'), key: file('admin.key'), signingKey: file('sa.key') });
  const table = new Map<string, [string[], Record<string, string>]>();
  for (const [path, codes] of Object.entries(rows)) {
    const known = table.get(JSON.stringify(codes));
    if (known === undefined) table.set(JSON.stringify(codes), [[path], codes]);
    else known[0].push(path);
  }
  writeFileSync(recorded, `${JSON.stringify([...table.values()], null, 1)}\n`);
});

it('every path answers everybody as kube-apiserver does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-table-'));
  const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
  writeFileSync(join(folder, 'sa.key'), signingKey);
  const server = await startWithFlags([
    '--controllers=serviceaccount-controller,clusterrole-aggregation-controller',
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
  ]);
  try {
    const rows = await probe({ ...server, signingKey });
    const table = JSON.parse(readFileSync(recorded, 'utf8')) as Table;
    const expected = new Map(table.flatMap(([paths, codes]) => paths.map((path) => [path, codes] as const)));
    const differences: string[] = [];
    for (const [path, codes] of Object.entries(rows)) {
      const wanted = expected.get(path);
      if (wanted === undefined) differences.push(`${path}: kube-apiserver does not have it`);
      else
        for (const [method, found] of Object.entries(codes))
          if (found !== wanted[method])
            differences.push(`${method} ${path} (${ACTORS.join(' ')}): ${found} instead of ${wanted[method]}`);
    }
    expect(differences).toEqual([]);
    // The endpoints of the peer are for administrators.
    const peer = [
      await call({ url: server.url, path: '/peer/v1/status' }),
      await call({ url: server.url, path: '/peer/v1/snapshot' }),
    ];
    expect(peer.map(({ status }) => status)).toEqual([403, 403]);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
