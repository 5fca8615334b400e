import type { JsonObject } from '../../api/index.js';
import { kindSchema } from '../kinds.js';
import type { Definitions } from './definitions.js';
import { capital, operationTag } from './names.js';
import type { Operation, Paths } from './operations.js';
import { type ApiDescription, isCustom } from './served.js';

/** The documents outside group versions: the lists of versions and groups, the token issuer, and the version of the server. */
export interface RootDocument {
  /** The path of its v3 document below `/openapi/v3/`: `api`, `apis`, `apis/apps`, `openid/v1/jwks`, `version`. */
  readonly name: string;
  readonly paths: Paths;
}

/** Returns the root documents, restricted to those in `only` if given. */
export function rootPaths(api: ApiDescription, definitions: Definitions, only?: string): RootDocument[] {
  const documents: RootDocument[] = [];
  const add = (name: string, make: () => readonly [path: string, operation: Operation]): void => {
    if (only === undefined || only === name) documents.push({ name, paths: new Map([oneOperation(make())]) });
  };
  const machinery = (kind: string): JsonObject =>
    definitions.struct(kindSchema({ group: 'meta.k8s.io', version: 'v1', kind })!.schema);
  add('api', () => [
    '/api/',
    read('getCoreAPIVersions', 'lists the versions of the core group', 'core', machinery('APIVersions')),
  ]);
  add('apis', () => [
    '/apis/',
    read('getAPIVersions', 'lists the groups with their versions', 'apis', machinery('APIGroupList')),
  ]);
  for (const group of groupNames(api)) {
    add(`apis/${group}`, () => [
      `/apis/${group}/`,
      read(`get${scope(group)}APIGroup`, 'names this group and its versions', tag(group), machinery('APIGroup')),
    ]);
  }
  add(ISSUER, () => [
    `/${ISSUER}/`,
    read(
      'getServiceAccountIssuerOpenIDConfiguration',
      'describes the issuer of service account tokens (OpenID Connect discovery)',
      'WellKnown',
      { type: 'string' },
      ['application/json'],
      [],
    ),
  ]);
  add(ISSUER_KEYS, () => [
    `/${ISSUER_KEYS}/`,
    read(
      'getServiceAccountIssuerOpenIDKeyset',
      'lists the public keys that verify service account tokens',
      'openid',
      { type: 'string' },
      ['application/jwk-set+json'],
      [],
    ),
  ]);
  add('version', () => [
    '/version/',
    read('getCodeVersion', 'says which version the server is', 'version', versionInfo(definitions), [
      'application/json',
    ]),
  ]);
  return documents;
}

/** Returns the names of the root documents without making the documents. */
export function rootNames(api: ApiDescription): readonly string[] {
  return ['api', 'apis', ...groupNames(api).map((group) => `apis/${group}`), ISSUER, ISSUER_KEYS, 'version'];
}

function groupNames(api: ApiDescription): readonly string[] {
  const builtIn = api.groupVersions.filter((gv) => !isCustom(gv));
  return [...new Set(builtIn.map((gv) => gv.group))].filter((g) => g !== '').sort();
}

const oneOperation = ([path, operation]: readonly [string, Operation]): [string, Operation[]] => [path, [operation]];

const ISSUER = '.well-known/openid-configuration';
const ISSUER_KEYS = 'openid/v1/jwks';
const TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

function read(
  id: string,
  description: string,
  tagName: string,
  schema: JsonObject,
  types: readonly string[] = TYPES,
  consumes = types,
): Operation {
  return {
    method: 'get',
    id,
    description,
    tag: tagName,
    action: undefined,
    gvk: undefined,
    parameters: [],
    body: undefined,
    consumes,
    responses: [
      { code: 200, description: 'OK', content: { types, schema } },
      { code: 401, description: 'Unauthorized', content: undefined },
    ],
  };
}

const tag = (group: string): string => operationTag({ group, version: '' }).replace(/_$/, '');
const scope = (group: string): string =>
  group
    .replace(/\.k8s\.io$/, '')
    .split('.')
    .map(capital)
    .join('');

/** The required fields come first in the order of kube-apiserver. */
const VERSION_FIELDS = [
  ['major', true],
  ['minor', true],
  ['gitVersion', true],
  ['gitCommit', true],
  ['gitTreeState', true],
  ['buildDate', true],
  ['goVersion', true],
  ['compiler', true],
  ['platform', true],
  ['emulationMajor', false],
  ['emulationMinor', false],
  ['minCompatibilityMajor', false],
  ['minCompatibilityMinor', false],
] as const;

function versionInfo(definitions: Definitions): JsonObject {
  return definitions.reference('io.k8s.apimachinery.pkg.version.Info', () => ({
    description: 'What the server is and what it was built from.',
    type: 'object',
    required: VERSION_FIELDS.filter(([, required]) => required).map(([name]) => name),
    properties: Object.fromEntries(
      VERSION_FIELDS.map(([name, required]) => [
        name,
        { type: 'string', ...(required && definitions.dialect === 'v3' && { default: '' }) },
      ]),
    ),
  }));
}
