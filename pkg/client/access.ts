import { readFileSync } from 'node:fs';
import type { Clock } from '../base/index.js';
import { authorityOf, type ClientConfig, clientConfig } from './config/connect.js';
import { type ConfigSources, loadConfig } from './config/load.js';

/** The servers of a cluster, and how to reach them. */
export interface Access {
  /** `https://127.0.0.1:6443`; without duplicates, that of the current context first. */
  readonly endpoints: readonly string[];
  /** The authorities, and the client certificate and key of the user, PEM; '' if there are none. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly config: ClientConfig;
}

export type AccessSources = Omit<ConfigSources, 'read'> & { readonly read?: ConfigSources['read'] };

const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/**
 * Reads a kubeconfig, or the files of KUBECONFIG: the user of the current context, and every server with the same authority as its
 * cluster. Throws `ClientError`.
 */
export function accessOf(source: string | AccessSources): Access {
  const sources = typeof source === 'string' ? { file: source, env: {} } : source;
  const loaded = loadConfig({ read: (path) => readFileSync(path, 'utf8'), ...sources });
  const { env } = sources;
  const config = clientConfig(loaded, { clock, env, isTerminal: process.stdin.isTTY === true });
  const own = loaded.contexts.get(loaded.currentContext)?.cluster;
  const clusters = [loaded.clusters.get(own ?? '')!, ...loaded.clusters.values()];
  const endpoints = clusters.filter((c) => authorityOf(c) === config.ca).map(({ entry }) => entry.server);
  const { cert = '', key = '' } = config.certificate ?? {};
  return { endpoints: [...new Set(endpoints)], ca: config.ca ?? '', cert, key, config };
}

/** Reads a kubeconfig from a text. Paths in it are relative to the folder of `file`, which errors name. */
export const readAccess = (text: string, file: string): Access => accessOf({ file, env: {}, read: () => text });
