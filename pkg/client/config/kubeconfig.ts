import { Ajv, type ErrorObject } from 'ajv';
import { parse } from 'yaml';

/** A kubeconfig file (v1). Every list may be missing. */
export interface Kubeconfig {
  readonly clusters?: readonly { readonly name: string; readonly cluster: ClusterEntry }[] | null;
  readonly users?: readonly { readonly name: string; readonly user: UserEntry | null }[] | null;
  readonly contexts?: readonly { readonly name: string; readonly context: ContextEntry }[] | null;
  readonly 'current-context'?: string | null;
}

type Text = string | null;

export interface ClusterEntry {
  readonly server: string;
  readonly 'tls-server-name'?: Text;
  readonly 'insecure-skip-tls-verify'?: boolean | null;
  readonly 'certificate-authority'?: Text;
  readonly 'certificate-authority-data'?: Text;
  readonly 'proxy-url'?: Text;
  readonly extensions?: readonly { readonly name: string; readonly extension?: unknown }[] | null;
}

export interface UserEntry {
  readonly 'client-certificate'?: Text;
  readonly 'client-certificate-data'?: Text;
  readonly 'client-key'?: Text;
  readonly 'client-key-data'?: Text;
  readonly token?: Text;
  readonly tokenFile?: Text;
  readonly username?: Text;
  readonly password?: Text;
  readonly as?: Text;
  readonly 'as-uid'?: Text;
  readonly 'as-groups'?: readonly string[] | null;
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>> | null;
  readonly 'auth-provider'?: object | null;
  readonly exec?: ExecEntry | null;
}

/** An exec credential plug-in (client.authentication.k8s.io). */
export interface ExecEntry {
  readonly apiVersion?: Text;
  readonly command?: Text;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: Text;
  readonly provideClusterInfo?: boolean | null;
  readonly interactiveMode?: Text;
}

export interface ContextEntry {
  readonly cluster: string;
  readonly user?: Text;
  readonly namespace?: Text;
}

const text = { type: 'string' } as const;
const optionalText = { type: 'string', nullable: true } as const;
const optionalSwitch = { type: 'boolean', nullable: true } as const;
const texts = { type: 'array', nullable: true, items: text } as const;
const optionalTexts = (...names: readonly string[]): Record<string, typeof optionalText> =>
  Object.fromEntries(names.map((name) => [name, optionalText]));

const EXEC = {
  type: 'object',
  nullable: true,
  properties: {
    ...optionalTexts('apiVersion', 'command', 'installHint', 'interactiveMode'),
    args: texts,
    env: {
      type: 'array',
      nullable: true,
      items: { type: 'object', required: ['name', 'value'], properties: { name: text, value: text } },
    },
    provideClusterInfo: optionalSwitch,
  },
};

/** Unknown fields are allowed: other tools have their own. */
const SCHEMA = {
  type: 'object',
  properties: {
    clusters: named('cluster', {
      type: 'object',
      required: ['server'],
      properties: {
        server: { type: 'string', pattern: '^https?://' },
        'insecure-skip-tls-verify': optionalSwitch,
        extensions: {
          type: 'array',
          nullable: true,
          items: { type: 'object', required: ['name'], properties: { name: text } },
        },
        ...optionalTexts('tls-server-name', 'certificate-authority', 'certificate-authority-data', 'proxy-url'),
      },
    }),
    users: named('user', {
      type: 'object',
      nullable: true,
      properties: {
        ...optionalTexts('client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'),
        ...optionalTexts('token', 'tokenFile', 'username', 'password', 'as', 'as-uid'),
        'as-groups': texts,
        'as-user-extra': { type: 'object', nullable: true, additionalProperties: { type: 'array', items: text } },
        'auth-provider': { type: 'object', nullable: true },
        exec: EXEC,
      },
    }),
    contexts: named('context', {
      type: 'object',
      required: ['cluster'],
      properties: { cluster: text, ...optionalTexts('user', 'namespace') },
    }),
    'current-context': optionalText,
  },
};

function named(key: string, of: object): object {
  return {
    type: 'array',
    nullable: true,
    items: { type: 'object', required: ['name', key], properties: { name: text, [key]: of } },
  };
}

/** Parses a kubeconfig, or returns what is wrong with it. */
export function parseKubeconfig(source: string): Kubeconfig | { readonly wrong: string } {
  let value: unknown;
  try {
    // Kubernetes reads YAML 1.1: `yes` and `on` are booleans.
    value = parse(source, { version: '1.1', merge: true, uniqueKeys: false, logLevel: 'error', maxAliasCount: 100 });
  } catch (error) {
    return { wrong: `it is not valid YAML: ${(error as Error).message.split('\n')[0]}` };
  }
  const check = new Ajv({ allowUnionTypes: true }).compile<Kubeconfig>(SCHEMA);
  if (check(value)) return value;
  return { wrong: sentence(check.errors![0]!) };
}

/** `clusters[0].cluster must have required property 'server'` */
function sentence({ instancePath, message }: ErrorObject): string {
  const path = instancePath
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
  return `${path === '' ? 'it' : path} ${message ?? 'is invalid'}`;
}
