import { durationProblem, FieldErrors, FieldPath, isDns1123Subdomain, Printed } from '../api/index.js';
import { ConfigError, describeErrors, type FileTypes, parseDuration, readConfigFile } from '../config/index.js';

/** EncryptionConfiguration of apiserver.config.k8s.io/v1. */
export interface EncryptionConfiguration {
  readonly resources: readonly ResourceConfiguration[];
}

export interface ResourceConfiguration {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` (the core group) or `*.*`. */
  readonly resources: readonly string[];
  /** In order: the first encrypts, all decrypt. */
  readonly providers: readonly ProviderConfiguration[];
}

export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration | null;
  readonly aescbc?: KeysConfiguration | null;
  readonly secretbox?: KeysConfiguration | null;
  readonly identity?: object | null;
  readonly kms?: KmsConfiguration | null;
}

export interface KeysConfiguration {
  readonly keys?: readonly KeyConfiguration[] | null;
}

export interface KeyConfiguration {
  readonly name?: string;
  /** Base64. */
  readonly secret?: string;
}

export interface KmsConfiguration {
  readonly apiVersion?: string;
  readonly name?: string;
  readonly cachesize?: number | null;
  readonly endpoint?: string;
  readonly timeout?: string;
}

const keysOf = (title: string) => ({
  type: ['object', 'null'],
  title,
  properties: {
    keys: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        title: 'Key',
        properties: { name: { type: 'string' }, secret: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
});
const AES = keysOf('AESConfiguration');

const TYPES: FileTypes = Object.fromEntries(
  // `v1` of the group `apiserver.config.k8s.io`; `EncryptionConfig` of the legacy version `v1` is no longer read.
  ['apiserver.config.k8s.io/v1/EncryptionConfiguration'].map((name) => [
    name,
    {
      title: 'EncryptionConfiguration',
      properties: {
        resources: {
          type: ['array', 'null'],
          items: {
            type: 'object',
            title: 'ResourceConfiguration',
            properties: {
              resources: { type: ['array', 'null'], items: { type: 'string' } },
              providers: {
                type: ['array', 'null'],
                items: {
                  type: 'object',
                  title: 'ProviderConfiguration',
                  properties: {
                    aesgcm: AES,
                    aescbc: AES,
                    secretbox: keysOf('SecretboxConfiguration'),
                    identity: {
                      type: ['object', 'null'],
                      title: 'IdentityConfiguration',
                      properties: {},
                      additionalProperties: false,
                    },
                    kms: {
                      type: ['object', 'null'],
                      title: 'KMSConfiguration',
                      properties: {
                        apiVersion: { type: 'string' },
                        name: { type: 'string' },
                        cachesize: { type: ['integer', 'null'], title: 'int32' },
                        endpoint: { type: 'string' },
                        timeout: { type: ['string', 'null'] },
                      },
                      additionalProperties: false,
                    },
                  },
                  additionalProperties: false,
                },
              },
            },
            additionalProperties: false,
          },
        },
      },
    },
  ]),
);

export const KMS_TIMEOUT_DEFAULT = '3s';

/**
 * Reads an EncryptionConfiguration, YAML or JSON. Throws `ConfigError` with the path of every invalid field and
 * kube-apiserver's message. `source` names the file in errors.
 */
export async function readEncryptionConfiguration(source: string, text: string): Promise<EncryptionConfiguration> {
  const fail = (why: string): ConfigError => new ConfigError(`error while parsing file: ${why}`);
  const named = `encryption provider configuration file ${JSON.stringify(source)}`;
  if (text === '') throw fail(`error while loading file: ${named} is empty`);
  const read = await readConfigFile<{ readonly resources?: EncryptionConfiguration['resources'] | null }>(text, TYPES);
  if (!read.ok) throw fail(`error decoding ${named}: ${describeErrors(read.errors)}`);
  for (const { providers } of read.value.resources ?? [])
    for (const { kms } of providers ?? []) {
      const timeout = kms?.timeout ?? KMS_TIMEOUT_DEFAULT;
      if (parseDuration(timeout) === undefined) throw fail(`error decoding ${named}: ${durationProblem(timeout)}`);
    }
  const configuration = {
    resources: (read.value.resources ?? []).map(({ resources, providers }) => ({
      resources: resources ?? [],
      providers: providers ?? [],
    })),
  };
  const found = new FieldErrors();
  validate(configuration, found);
  if (!found.empty) throw fail(goAggregate(found.list.map((e) => `${e.field}: ${e.message}`)));
  return configuration;
}

/** Joins several messages as kube-apiserver does. Equal messages occur once. */
export function goAggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}

const ROOT = FieldPath.of('resources');
const AES_KEY_BYTES = [16, 24, 32];
const SECRETBOX_KEY_BYTES = [32];

function validate({ resources }: EncryptionConfiguration, errors: FieldErrors): void {
  if (resources.length === 0) {
    errors.required(ROOT, 'at least one resources is required');
    return;
  }
  const kmsNames = new Set<string>();
  for (const [i, { resources: names, providers }] of resources.entries()) {
    const r = ROOT.index(i).child('resources');
    const p = ROOT.index(i).child('providers');
    if (names.length === 0) errors.required(r, `at least one ${r.toString()} is required`);
    checkOverlap(names, r, errors);
    for (const [j, name] of names.entries()) {
      const wrong = nameProblem(name);
      if (wrong !== undefined) errors.invalid(r.index(j), name, wrong);
    }
    if (providers.length === 0) errors.required(p, `at least one ${p.toString()} is required`);
    for (const [j, provider] of providers.entries()) checkProvider(provider, p.index(j), kmsNames, errors);
  }
}

interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `deployments.apps` is the resource deployments of the group apps; `secrets` and `secrets.` are of the core group. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

function checkOverlap(names: readonly string[], path: FieldPath, errors: FieldErrors): void {
  const parsed = names.map(parseGroupResource);
  let duplicate = false;
  let overlap = false;
  for (const [i, a] of parsed.entries()) {
    for (const [j, b] of parsed.entries()) {
      if (i === j) continue;
      const same = a.group === b.group && a.resource === b.resource;
      if (same && !duplicate) duplicate = true;
      else if (a.group === '*' && a.resource === '*') overlap = true;
      else if (a.group === b.group && (a.resource === '*' || b.resource === '*')) overlap = true;
    }
  }
  const shown = new Printed(JSON.stringify(names));
  if (duplicate) errors.invalid(path, shown, 'the same resource cannot be specified multiple times');
  if (overlap)
    errors.invalid(
      path,
      shown,
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
    );
}

const WITHOUT_API: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
]);

function nameProblem(name: string): string | undefined {
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (WITHOUT_API.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseGroupResource(name);
  if (group === 'events.k8s.io')
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

function checkProvider(
  provider: ProviderConfiguration,
  path: FieldPath,
  kmsNames: Set<string>,
  errors: FieldErrors,
): void {
  const { kms, aesgcm, aescbc, secretbox, identity } = provider;
  const given = [kms, aesgcm, aescbc, secretbox, identity].filter((p) => p !== undefined && p !== null).length;
  const shown = new Printed(internalForm(provider));
  if (given === 0)
    errors.invalid(
      path,
      shown,
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    );
  if (given > 1)
    errors.invalid(
      path,
      shown,
      'more than one provider specified in a single element, should split into different list elements',
    );
  if (kms !== undefined && kms !== null) checkKms(kms, path.child('kms'), kmsNames, errors);
  else if (aesgcm !== undefined && aesgcm !== null)
    checkKeys(aesgcm, path.child('aesgcm', 'keys'), AES_KEY_BYTES, errors);
  else if (aescbc !== undefined && aescbc !== null)
    checkKeys(aescbc, path.child('aescbc', 'keys'), AES_KEY_BYTES, errors);
  else if (secretbox !== undefined && secretbox !== null)
    checkKeys(secretbox, path.child('secretbox', 'keys'), SECRETBOX_KEY_BYTES, errors);
}

/** A provider in the internal form that kube-apiserver prints, without the secrets. */
function internalForm({ aesgcm, aescbc, secretbox, identity, kms }: ProviderConfiguration): string {
  const keysOf = (of: KeysConfiguration | null | undefined) =>
    of && { Keys: of.keys?.map(({ name = '' }) => ({ Name: name, Secret: 'REDACTED' })) ?? null };
  return JSON.stringify({
    AESGCM: keysOf(aesgcm) ?? null,
    AESCBC: keysOf(aescbc) ?? null,
    Secretbox: keysOf(secretbox) ?? null,
    Identity: identity ?? null,
    KMS: kms === null || kms === undefined ? null : kmsForm(kms),
  });
}

const kmsForm = ({ apiVersion = 'v1', name = '', cachesize, endpoint = '', timeout }: KmsConfiguration): object => ({
  APIVersion: apiVersion,
  Name: name,
  CacheSize: cachesize ?? null,
  Endpoint: endpoint,
  Timeout: { Duration: timeout ?? KMS_TIMEOUT_DEFAULT },
});

function checkKeys(
  { keys }: KeysConfiguration,
  path: FieldPath,
  lengths: readonly number[],
  errors: FieldErrors,
): void {
  if (keys === undefined || keys === null || keys.length === 0) {
    errors.required(path, 'at least one keys is required');
    return;
  }
  for (const [i, { name = '', secret = '' }] of keys.entries()) {
    const at = path.index(i);
    if (name === '') errors.required(at.child('name'), 'name is a mandatory field for a key');
    if (secret === '') {
      errors.required(at.child('secret'), 'secret is a mandatory field for a key');
      continue;
    }
    const bytes = decodeBase64(secret);
    if (bytes === undefined) errors.invalid(at.child('secret'), 'REDACTED', 'secrets must be base64 encoded');
    else if (!lengths.includes(bytes.length))
      errors.invalid(
        at.child('secret'),
        'REDACTED',
        `secret is not of the expected length, got ${bytes.length}, expected one of [${lengths.join(' ')}]`,
      );
  }
}

/** Decodes standard base64 with padding; line breaks are allowed. */
export function decodeBase64(text: string): Buffer | undefined {
  const bare = text.replace(/[\r\n]/g, '');
  return bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare) ? Buffer.from(bare, 'base64') : undefined;
}

function checkKms(kms: KmsConfiguration, path: FieldPath, names: Set<string>, errors: FieldErrors): void {
  const { name = '', apiVersion = 'v1', endpoint = '', timeout = KMS_TIMEOUT_DEFAULT } = kms;
  const v1 = apiVersion === 'v1';
  if (name === '') errors.required(path.child('name'), 'name is a mandatory field for a provider');
  if (!v1 && name.includes(':'))
    errors.invalid(path.child('name'), name, `invalid KMS provider name ${name}, must not contain ':'`);
  if (names.has(name))
    errors.invalid(path.child('name'), name, `duplicate KMS provider name ${name}, names must be unique`);
  names.add(name);
  const milliseconds = parseDuration(timeout ?? KMS_TIMEOUT_DEFAULT);
  if (milliseconds === undefined || milliseconds <= 0)
    errors.invalid(path.child('timeout'), timeout ?? '', 'timeout should be a positive value');
  checkEndpoint(endpoint, path.child('endpoint'), errors);
  if (!v1 && kms.cachesize !== undefined && kms.cachesize !== null)
    errors.invalid(path.child('cachesize'), kms.cachesize, 'cachesize is not supported in v2');
  if (v1 && kms.cachesize === 0)
    errors.invalid(path.child('cachesize'), 0, 'cachesize should be a positive value, or negative to disable');
  if (apiVersion !== 'v1' && apiVersion !== 'v2')
    errors.invalid(
      path.child('apiVersion'),
      apiVersion,
      'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
    );
}

function checkEndpoint(endpoint: string, path: FieldPath, errors: FieldErrors): void {
  if (endpoint === '') {
    errors.invalid(path, '', 'endpoint is a mandatory field for a kms');
    return;
  }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase() ?? '';
  if (scheme !== 'unix')
    errors.invalid(
      path,
      endpoint,
      `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`,
    );
}

/** What is wrong with a name that must be a domain of two parts or more, as keys of annotations of KMS plug-ins. */
export function fullyQualifiedDomainProblems(name: string): readonly string[] {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  const problems = isDns1123Subdomain(bare);
  if (problems.length > 0 || bare.includes('.')) return problems;
  return ['should be a domain with at least two segments separated by dots'];
}
