// What the clients share that run as API servers or operators beside trireme: their processes, credentials, and requests as a user.
import { spawn } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import * as k8s from '@kubernetes/client-node';
import { check } from './checks.mjs';
import { withServer } from './lib.mjs';

const PATIENCE = 120_000;
const LOG_LINES = 20;

/**
 * Starts a server, calls `use({ admin, config, kubeconfig, folder, start })` and ends the programs that it started. `start(name, file,
 * args)` runs a program; when `use` fails, the ends of their logs are printed. Resolves to what `use` returns.
 */
export function withPrograms(use) {
  return withServer(async (kubeconfig, folder) => {
    const config = new k8s.KubeConfig();
    config.loadFromFile(kubeconfig);
    const children = new Map();
    const start = (name, file, args, env = {}) => {
      const log = openSync(join(folder, `${name}.log`), 'a');
      const child = spawn(file, args, { stdio: ['ignore', log, log], cwd: folder, env: { ...process.env, ...env } });
      child.ended = new Promise((resolve) => child.once('exit', resolve));
      children.set(name, child);
      return child;
    };
    try {
      return await use({ admin: requester(config), config, kubeconfig, folder, start });
    } catch (error) {
      for (const name of children.keys()) console.error(`${name}:\n${readFileSync(join(folder, `${name}.log`), 'utf8').trim().split('\n').slice(-LOG_LINES).join('\n')}`);
      throw error;
    } finally {
      for (const child of [...children.values()].reverse()) {
        child.kill('SIGKILL');
        await child.ended;
      }
    }
  });
}

/** Sends requests as the user of a kubeconfig; a body that is a string is sent as it is. Resolves to `{ code, text, body }`. */
export function requester(config, token) {
  const server = config.getCurrentCluster().server;
  return async (method, path, body, headers = {}) => {
    const options = {};
    if (token === undefined) await config.applyToHTTPSOptions(options);
    const { ca } = await optionsOf(config);
    const all = { accept: 'application/json', 'content-type': 'application/json', ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    return new Promise((resolve, reject) => {
      const r = request(`${server}${path}`, { method, ca, cert: options.cert, key: options.key, headers: all, timeout: PATIENCE }, (response) => {
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(pieces).toString();
          resolve({ code: response.statusCode, text, body: text.startsWith('{') && !text.includes('}\n{') ? JSON.parse(text) : undefined });
        });
      });
      r.once('error', reject);
      r.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
    });
  };
}

async function optionsOf(config) {
  const options = {};
  await config.applyToHTTPSOptions(options);
  return options;
}

export async function must(answer) {
  const { code, text, body } = await answer;
  check(code >= 200 && code < 300, `${code}: ${text}`);
  return body;
}

export async function until(what, done) {
  const limit = performance.now() + PATIENCE;
  let last;
  while (!(last = await done()).ok) {
    check(performance.now() < limit, `${what}: ${last.why}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A token of a service account. */
export const tokenOf = async (admin, namespace, name) =>
  (await must(admin('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, { spec: { expirationSeconds: 3600 } }))).status.token;

/** Writes a kubeconfig with a token of a service account to `folder`; resolves to its path. */
export async function kubeconfigOf(admin, config, { folder, namespace, name }) {
  const file = join(folder, `${namespace}-${name}.kubeconfig`);
  const { ca } = await optionsOf(config);
  writeFileSync(file, JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    clusters: [{ name: 'a', cluster: { server: config.getCurrentCluster().server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'a', user: { token: await tokenOf(admin, namespace, name) } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  }));
  return file;
}

/** Creates an APIService for a server that listens on a port of this machine, and its Service if that is missing. */
export async function register(admin, { group, version, namespace, service, port }) {
  const made = await admin('POST', `/api/v1/namespaces/${namespace}/services`, { metadata: { name: service }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } });
  check([201, 409].includes(made.code), `the service ${service}: ${made.text}`);
  await must(admin('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true, service: { namespace, name: service, port } },
  }));
}

/** The condition Available of an APIService. */
export async function conditionOf(admin, name) {
  const { status } = await must(admin('GET', `/apis/apiregistration.k8s.io/v1/apiservices/${name}`));
  return (status?.conditions ?? []).find((c) => c.type === 'Available') ?? { status: 'Unknown' };
}
