import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { isObject, type JsonObject, type JsonValue, listAt, objectsAt, textAt } from '../api/index.js';
import { addressOf, type Credentials, type OutboundTarget } from './target.js';

/** An invalid kubeconfig. The message names the file. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

export interface KubeconfigSource {
  readonly file: string;
  /** Reads a text file; throws if it cannot. */
  readonly read: (path: string) => string;
}

/** A kubeconfig file for outgoing connections of the server. */
export class OutboundKubeconfig {
  readonly #value: JsonObject;
  readonly #source: KubeconfigSource;

  /** Reads the file. Throws `KubeconfigError`. */
  constructor(source: KubeconfigSource) {
    this.#source = source;
    let value: unknown;
    try {
      // Kubernetes reads YAML 1.1: `yes` and `on` are booleans.
      value = parse(source.read(source.file), {
        version: '1.1',
        merge: true,
        uniqueKeys: false,
        logLevel: 'error',
        maxAliasCount: 100,
      });
    } catch (error) {
      throw this.#error((error as Error).message.split('\n')[0]!);
    }
    if (!isObject(value as JsonValue | undefined)) throw this.#error('it is not a kubeconfig');
    this.#value = value as JsonObject;
  }

  /** The server, authorities and credentials of the current context. `path` is that of the server's URL, without a trailing slash. */
  target(): { readonly target: OutboundTarget; readonly path: string } {
    const name = textAt(this.#value, 'current-context');
    const context = this.#named('contexts', name);
    if (context === undefined) throw this.#error(`context "${name}" does not exist`);
    const cluster = this.#named('clusters', textAt(context, 'context', 'cluster'));
    const server = textAt(cluster, 'cluster', 'server');
    let url: URL;
    try {
      url = new URL(server);
    } catch {
      throw this.#error(`"${server}" is not the URL of a server`);
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw this.#error(`"${server}" is not an HTTP URL`);
    const of = cluster?.['cluster'];
    const proxy = textAt(of, 'proxy-url');
    if (proxy !== '' && !isHttp(proxy)) throw this.#error(`"${proxy}" is not the URL of an HTTP proxy`);
    const ca = this.#pem(of, 'certificate-authority');
    const serverName = textAt(of, 'tls-server-name');
    const user = this.#named('users', textAt(context, 'context', 'user'));
    const origin = `${url.protocol}//${url.host}`;
    addressOf(origin);
    return {
      target: {
        origin,
        purpose: 'webhook',
        ...(serverName === '' ? {} : { serverName }),
        ...(ca === undefined ? {} : { ca }),
        ...(proxy === '' ? {} : { proxy }),
        insecure: isObject(of) && of['insecure-skip-tls-verify'] === true,
        credentials: user === undefined ? {} : this.#credentials(user['user']),
      },
      path: (url.pathname + url.search).replace(/\/$/, ''),
    };
  }

  /**
   * The credentials for a webhook, as AdmissionConfiguration documents it: users are named by the host (with its port unless that is
   * 443), by a wildcard such as `*.example.com`, or `*`; the user of the current context is the last resort.
   */
  credentialsFor(hostPort: string): Credentials {
    const isDefault = hostPort.endsWith(':443');
    const names = [...wildcards(hostPort), ...(isDefault ? wildcards(hostPort.slice(0, -':443'.length)) : []), '*'];
    for (const name of names) {
      const user = this.#named('users', name);
      if (user !== undefined) return this.#credentials(user['user']);
    }
    const context = this.#named('contexts', textAt(this.#value, 'current-context'));
    const user = this.#named('users', textAt(context, 'context', 'user'));
    return user === undefined ? {} : this.#credentials(user['user']);
  }

  #named(list: string, name: string): JsonObject | undefined {
    return objectsAt(this.#value, list).find((entry) => textAt(entry, 'name') === name);
  }

  #credentials(user: JsonValue | undefined): Credentials {
    if (!isObject(user)) return {};
    if (user['exec'] !== undefined) throw this.#error('exec credential plugins are not supported here');
    if (user['auth-provider'] !== undefined) throw this.#error('auth provider not supported');
    const cert = this.#pem(user, 'client-certificate');
    const key = this.#pem(user, 'client-key');
    if ((cert === undefined) !== (key === undefined))
      throw this.#error('client-certificate and client-key must be specified together');
    const authorization = this.#authorization(user);
    const headers = impersonation(user);
    return {
      ...(cert === undefined || key === undefined ? {} : { certificate: { cert, key } }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(headers === undefined ? {} : { headers }),
    };
  }

  /** A token file takes precedence over a token, and is read again for every request; the last good content is kept. */
  #authorization(user: JsonObject): (() => string) | undefined {
    const [token, file, name] = [textAt(user, 'token'), textAt(user, 'tokenFile'), textAt(user, 'username')];
    if (file !== '') {
      let last = token;
      const { read } = this.#source;
      const path = this.#path(file);
      return () => {
        try {
          last = read(path).trim() || last;
        } catch (error) {
          if (last === '') throw this.#error((error as Error).message);
        }
        return `Bearer ${last}`;
      };
    }
    if (token !== '') return () => `Bearer ${token}`;
    if (name === '' && textAt(user, 'password') === '') return undefined;
    const basic = Buffer.from(`${name}:${textAt(user, 'password')}`).toString('base64');
    return () => `Basic ${basic}`;
  }

  /** Embedded data takes precedence over a file. */
  #pem(of: JsonValue | undefined, field: string): string | undefined {
    const data = textAt(of, `${field}-data`);
    if (data !== '') return Buffer.from(data, 'base64').toString();
    const path = textAt(of, field);
    if (path === '') return undefined;
    try {
      return this.#source.read(this.#path(path));
    } catch (error) {
      throw this.#error((error as Error).message);
    }
  }

  #path(path: string): string {
    return resolve(dirname(this.#source.file), path);
  }

  #error(why: string): KubeconfigError {
    return new KubeconfigError(`${this.#source.file}: ${why}`);
  }
}

/** `a.b.c`, `*.b.c`, `*.c` */
function wildcards(host: string): readonly string[] {
  const labels = host.split('.');
  return labels.map((_, i) => (i === 0 ? host : `*.${labels.slice(i).join('.')}`));
}

function impersonation(user: JsonObject): Readonly<Record<string, string | readonly string[]>> | undefined {
  const name = textAt(user, 'as');
  if (name === '') return undefined;
  const uid = textAt(user, 'as-uid');
  const groups = listAt(user, 'as-groups').map(String);
  const extra = user['as-user-extra'];
  return {
    'impersonate-user': name,
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...Object.fromEntries(
      Object.entries(isObject(extra) ? extra : {}).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        Array.isArray(values) ? values.map(String) : [String(values)],
      ]),
    ),
  };
}

const isHttp = (url: string): boolean => URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
