import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startWithFlags } from '../../pkg/server/library.js';
import { type Answer, call, eventually } from './client.js';

interface Row {
  readonly user: string;
  /** `GET /api/v1/nodes/a` */
  readonly request: string;
  readonly body?: object;
  /** The media type of the body; JSON by default. */
  readonly type?: string;
  readonly code: number;
  /** Of the Status, from 400 on. */
  readonly message?: string;
}

interface Table {
  /** Requests of an administrator: two nodes, `a` and `b`, with a pod each. */
  readonly setup: readonly (readonly [method: string, path: string, body: object])[];
  readonly rows: readonly Row[];
}

interface Target {
  readonly url: string;
  readonly cert: string;
  readonly key: string;
}

/** What kube-apiserver 1.37.2 answered. To record it again, name the folder of a running one in TRIREME_REFERENCE. */
const recorded = fileURLToPath(new URL('nodes.json', import.meta.url));
const reference = process.env['TRIREME_REFERENCE'];
const table = JSON.parse(readFileSync(recorded, 'utf8')) as Table;

/** Asks everything in order: later requests see what earlier ones wrote. */
async function probe(target: Target): Promise<readonly Row[]> {
  for (const [method, path, body] of table.setup) {
    const { status, body: text } = await call({ ...target, method, path, body });
    if (status !== 201) throw new Error(`${method} ${path}: ${status} ${text}`);
  }
  const ask = ({ user, request, body, type }: Row): Promise<Answer> => {
    const [method = '', path = ''] = request.split(' ');
    const as = { 'impersonate-user': user, 'impersonate-group': 'system:nodes' };
    const headers = type === undefined ? as : { ...as, 'content-type': type };
    return call({ ...target, method, path, headers, ...(body === undefined ? {} : { body }) });
  };
  // kube-apiserver learns of changes after a while.
  const pod: Row = { user: 'system:node:a', request: 'GET /api/v1/namespaces/default/secrets/s1', code: 200 };
  await eventually(async () => ((await ask(pod)).status === 200 ? true : undefined));
  const rows: Row[] = [];
  for (const row of table.rows) {
    const { status, json } = await ask(row);
    const { message: _, ...asked } = row;
    rows.push({ ...asked, code: status, ...(status < 400 ? {} : { message: json?.message }) });
  }
  return rows;
}

it.runIf(reference !== undefined)('records kube-apiserver', async () => {
  const file = (name: string): string => readFileSync(join(reference!, 'pki', name), 'utf8');
  const url = /server: "([^"]+)"/.exec(readFileSync(join(reference!, 'kubeconfig'), 'utf8'))![1]!;
  const rows = await probe({ url, cert: file('admin.crt'), key: file('admin.key') });
  const lines = (values: readonly unknown[]): string => values.map((value) => `  ${JSON.stringify(value)}`).join(',\n');
  writeFileSync(recorded, `{\n "setup": [\n${lines(table.setup)}\n ],\n "rows": [\n${lines(rows)}\n ]\n}\n`);
});

it('the user of a kubelet may do what it may do with kube-apiserver', async () => {
  const server = await startWithFlags([
    '--controllers=-*',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--disable-admission-plugins=ServiceAccount',
  ]);
  try {
    const rows = await probe(server);
    expect(rows).toEqual(table.rows);
  } finally {
    await server.close();
  }
});
