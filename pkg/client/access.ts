import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ClusterEntry, parseKubeconfig } from './kubeconfig.js';

/** The servers of a cluster and the credentials for them, PEM. */
export interface Access {
  /** `https://127.0.0.1:6443`; without duplicates, that of the current context first. */
  readonly endpoints: readonly string[];
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A command that cannot be executed. The message is one line for the user. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
}

/** Reads a kubeconfig: the user of the current context, and every server with the same authority as its cluster. */
export function accessOf(file: string): Access {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientError(`cannot read the kubeconfig: ${(error as Error).message}`);
  }
  return readAccess(text, file);
}

/** Reads a kubeconfig from a text. Paths in it are relative to the folder of `file`, which errors name. */
export function readAccess(text: string, file: string): Access {
  const config = parseKubeconfig(text);
  if ('wrong' in config) throw new ClientError(`${file} is not a kubeconfig: ${config.wrong}`);
  const { clusters, users, contexts } = config;
  const context = contexts.find((c) => c.name === config['current-context'])?.context;
  const cluster = clusters.find((c) => c.name === context?.cluster)?.cluster;
  const user = users.find((u) => u.name === context?.user)?.user;
  if (cluster === undefined || user === undefined)
    throw new ClientError(`${file}: the current context does not name an existing cluster and user`);
  const pem = (data: string | undefined, path: string | undefined): string => pemOf(data, path, dirname(file));
  const authority = (c: ClusterEntry): string => pem(c['certificate-authority-data'], c['certificate-authority']);
  const ca = authority(cluster);
  const endpoints = [cluster, ...clusters.map((c) => c.cluster).filter((c) => authority(c) === ca)];
  return {
    endpoints: [...new Set(endpoints.map((c) => c.server))],
    ca,
    cert: pem(user['client-certificate-data'], user['client-certificate']),
    key: pem(user['client-key-data'], user['client-key']),
  };
}

/** Embedded data takes precedence over a file, as in client-go. */
function pemOf(data: string | null | undefined, path: string | null | undefined, folder: string): string {
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString();
  if (typeof path !== 'string') return '';
  try {
    return readFileSync(resolve(folder, path), 'utf8');
  } catch (error) {
    throw new ClientError(`cannot read a file that the kubeconfig names: ${(error as Error).message}`);
  }
}
