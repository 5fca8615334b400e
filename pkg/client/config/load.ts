import { join, resolve } from 'node:path';
import { ClientError } from '../error.js';
import { type ClusterEntry, type ContextEntry, parseKubeconfig, type UserEntry } from './kubeconfig.js';

/** An entry with the folder of its file: relative paths in it are relative to that folder. */
export interface Located<T> {
  readonly entry: T;
  readonly folder: string;
}

/** One or several kubeconfig files, merged. */
export interface LoadedConfig {
  readonly clusters: ReadonlyMap<string, Located<ClusterEntry>>;
  readonly users: ReadonlyMap<string, Located<UserEntry>>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  readonly currentContext: string;
  /** The files that exist, for messages. */
  readonly files: readonly string[];
}

export interface ConfigSources {
  /** `--kubeconfig`: this file alone, which must exist. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Used if neither `file` nor KUBECONFIG is given; `$HOME/.kube/config` by default. */
  readonly fallback?: string;
  /** Reads a text file. Its error has the code ENOENT if there is none. */
  readonly read: (path: string) => string;
}

/**
 * Loads the files of `--kubeconfig` or KUBECONFIG (a list, separated as PATH is) with the rules of kubectl: missing files of the list are
 * skipped, the first file that names a cluster, user, context or the current context wins, and entries are not merged with each other.
 * Throws `ClientError`.
 */
export function loadConfig({ file, env, fallback, read }: ConfigSources): LoadedConfig {
  const clusters = new Map<string, Located<ClusterEntry>>();
  const users = new Map<string, Located<UserEntry>>();
  const contexts = new Map<string, ContextEntry>();
  const files: string[] = [];
  let currentContext = '';
  for (const path of pathsOf(file, env, fallback)) {
    const text = textOf(path, file !== undefined, read);
    if (text === undefined) continue;
    const config = parseKubeconfig(text);
    if ('wrong' in config) throw new ClientError(`${path} is not a kubeconfig: ${config.wrong}`);
    files.push(path);
    const folder = resolve(path, '..');
    const add = <T, V>(
      into: Map<string, V>,
      list: readonly T[] | null | undefined,
      of: (one: T) => [string, V],
    ): void => {
      const seen = new Set<string>();
      for (const one of list ?? []) {
        const [name, value] = of(one);
        if (seen.has(name)) throw new ClientError(`${path} is not a kubeconfig: duplicate name "${name}" in list`);
        seen.add(name);
        if (!into.has(name)) into.set(name, value);
      }
    };
    add(clusters, config.clusters, ({ name, cluster }) => [name, { entry: cluster, folder }]);
    add(users, config.users, ({ name, user }) => [name, { entry: user ?? {}, folder }]);
    add(contexts, config.contexts, ({ name, context }) => [name, context]);
    if (currentContext === '') currentContext = config['current-context'] ?? '';
  }
  if (files.length === 0)
    throw new ClientError(`cannot read the kubeconfig: no such file: ${pathsOf(file, env, fallback).join(', ')}`);
  return { clusters, users, contexts, currentContext, files };
}

function pathsOf(file: string | undefined, env: ConfigSources['env'], fallback: string | undefined): readonly string[] {
  if (file !== undefined) return [file];
  const listed = (env['KUBECONFIG'] ?? '')
    .split(process.platform === 'win32' ? ';' : ':')
    .filter((path) => path !== '');
  if (listed.length > 0) return [...new Set(listed)];
  return [fallback ?? join(env['HOME'] ?? '.', '.kube', 'config')];
}

function textOf(path: string, mustExist: boolean, read: ConfigSources['read']): string | undefined {
  try {
    return read(path);
  } catch (error) {
    if (!mustExist && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ClientError(`cannot read the kubeconfig: ${(error as Error).message}`);
  }
}
