// Writes V8's code cache of the built programs (loader.cjs): runs each program for a moment, and at its end it writes the functions
// that it has used. `make build` does this; the build is complete without it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const SECONDS_MAX = 120;
const ROUNDS = 20;

const folder = mkdtempSync(join(tmpdir(), 'trireme-build-'));
try {
  await program('apiserver', ['--data-dir', folder, '--bind-address=127.0.0.1', '--secure-port=0'], use);
  await program('ctl', ['--help']);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a program, does what `during` does with its URL, and ends it. Rejects if the program fails. */
async function program(name, args, during) {
  const child = spawn(process.execPath, [join(dist, 'cmd', name, 'main.js'), ...args], {
    env: { ...process.env, TRIREME_CODE_CACHE: 'write' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), SECONDS_MAX * 1000);
  let output = '';
  child.stderr.on('data', (bytes) => (output += bytes));
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (bytes) => {
      output += bytes;
      const url = /ready on (https:\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  if (during !== undefined) {
    const url = await Promise.race([ready, ended.then(() => undefined)]);
    if (url !== undefined) await during(url);
    child.kill('SIGTERM');
  }
  const status = await ended;
  clearTimeout(limit);
  if (status !== 0) throw new Error(`${name} ended with ${status} while its code cache was made:\n${output}`);
}

/** The requests of a small cluster's first minute: discovery, and every verb on a few kinds. */
async function use(url) {
  const pki = join(folder, 'pki');
  const client = { cert: readFileSync(join(pki, 'admin.crt')), key: readFileSync(join(pki, 'admin.key')), rejectUnauthorized: false };
  const call = (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
      const headers = text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) };
      const sent = request(new URL(path, url), { ...client, method, headers }, (answer) => {
        answer.resume();
        answer.on('end', resolve);
      });
      sent.on('error', reject);
      sent.end(text);
    });

  for (const path of ['/api', '/apis', '/api/v1', '/apis/apps/v1', '/openapi/v3', '/openapi/v3/api/v1', '/readyz', '/version'])
    await call('GET', path);
  const pod = { spec: { containers: [{ name: 'a', image: 'b' }] } };
  const labels = { app: 'a' };
  const kinds = [
    ['/api/v1/namespaces/default/configmaps', { data: { a: '1' } }],
    ['/api/v1/namespaces/default/pods', pod],
    ['/apis/apps/v1/namespaces/default/deployments', { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, ...pod } } }],
  ];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [path, content] of kinds) {
      const name = `a${round}`;
      await call('POST', path, { metadata: { name, labels }, ...content });
      await call('GET', `${path}/${name}`);
      await call('GET', `${path}?labelSelector=app%3Da&limit=10`);
      await call('PATCH', `${path}/${name}`, { metadata: { labels: { b: 'c' } } }, 'application/merge-patch+json');
      await call('PATCH', `${path}/${name}`, { metadata: { labels: { b: 'd' } } }, 'application/strategic-merge-patch+json');
      await call('PATCH', `${path}/${name}?fieldManager=a&force=true`, 'metadata: {labels: {c: d}}', 'application/apply-patch+yaml');
      await call('DELETE', `${path}/${name}`);
    }
  }
  await call('GET', '/api/v1/configmaps?watch=true&timeoutSeconds=1');
}
