import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

/** How to reach the servers of a cluster, and as whom. PEM texts. */
export interface Access {
  /** `https://127.0.0.1:6443`, each once, the one of the current context first. */
  readonly endpoints: readonly string[];
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What the user asked for cannot be done. One line, made for him. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
}

interface Named {
  readonly name: string;
  readonly value: Record<string, unknown>;
}

/** Reads a kubeconfig: the user of the current context, and every server whose authority is that of its cluster. */
export function accessOf(file: string): Access {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientError(`the kubeconfig cannot be read: ${(error as Error).message}`);
  }
  const config = parse(text) as Record<string, unknown>;
  const clusters = named(config, 'clusters', 'cluster');
  const users = named(config, 'users', 'user');
  const contexts = named(config, 'contexts', 'context');
  const current = config['current-context'];
  const context = contexts.find((c) => c.name === current)?.value;
  const cluster = clusters.find((c) => c.name === context?.['cluster'])?.value;
  const user = users.find((u) => u.name === context?.['user'])?.value;
  if (cluster === undefined || user === undefined)
    throw new ClientError(`${file}: the current context does not name a cluster and a user that are there`);
  const pem = (from: Record<string, unknown>, key: string): string => pemOf(from, key, dirname(file));
  const ca = pem(cluster, 'certificate-authority');
  const endpoints = [cluster, ...clusters.map((c) => c.value).filter((c) => pem(c, 'certificate-authority') === ca)];
  return {
    endpoints: [...new Set(endpoints.map((c) => String(c['server'])))],
    ca,
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
  };
}

function named(config: Record<string, unknown>, list: string, inner: string): readonly Named[] {
  const items = config?.[list];
  if (!Array.isArray(items)) return [];
  return (items as Record<string, unknown>[]).map((item) => ({
    name: String(item['name']),
    value: (item[inner] ?? {}) as Record<string, unknown>,
  }));
}

function pemOf(from: Record<string, unknown>, key: string, folder: string): string {
  const data = from[`${key}-data`];
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString();
  const file = from[key];
  return typeof file === 'string' ? readFileSync(resolve(folder, file), 'utf8') : '';
}
