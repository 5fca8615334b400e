import { Ajv, type ErrorObject, type JSONSchemaType } from 'ajv';
import { parse } from 'yaml';

/** The fields of a kubeconfig that are used here. */
export interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: ClusterEntry }[];
  readonly users: readonly { readonly name: string; readonly user: UserEntry }[];
  readonly contexts: readonly { readonly name: string; readonly context: ContextEntry }[];
  readonly 'current-context': string;
}

export interface ClusterEntry {
  readonly server: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
}

export interface UserEntry {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
}

export interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
}

const text = { type: 'string' } as const;
const optionalText = { type: 'string', nullable: true } as const;

/** Unknown fields are allowed: other tools have their own. */
const SCHEMA: JSONSchemaType<Kubeconfig> = {
  type: 'object',
  required: ['clusters', 'users', 'contexts', 'current-context'],
  properties: {
    clusters: named('cluster', {
      type: 'object',
      required: ['server'],
      properties: {
        server: { type: 'string', pattern: '^https?://' },
        'certificate-authority': optionalText,
        'certificate-authority-data': optionalText,
      },
    }),
    users: named('user', {
      type: 'object',
      required: [],
      properties: {
        'client-certificate': optionalText,
        'client-certificate-data': optionalText,
        'client-key': optionalText,
        'client-key-data': optionalText,
      },
    }),
    contexts: named('context', {
      type: 'object',
      required: ['cluster', 'user'],
      properties: { cluster: text, user: text },
    }),
    'current-context': text,
  },
};

// biome-ignore lint/suspicious/noExplicitAny: ajv's type of a schema does not follow a computed key
function named(key: string, of: object): any {
  return {
    type: 'array',
    items: { type: 'object', required: ['name', key], properties: { name: text, [key]: of } },
  };
}

/** Parses a kubeconfig, or returns what is wrong with it. */
export function parseKubeconfig(source: string): Kubeconfig | { readonly wrong: string } {
  let value: unknown;
  try {
    value = parse(source, { logLevel: 'error' });
  } catch (error) {
    return { wrong: `it is not valid YAML: ${(error as Error).message.split('\n')[0]}` };
  }
  const check = new Ajv({ allowUnionTypes: true }).compile(SCHEMA);
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
