import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import {
  type AdmissionSettings,
  type EventLimit,
  type ImagePolicyConfig,
  type LimitedResource,
  type NodeSelectors,
  type PodSecurityConfig,
  parseLevel,
  parseMinor,
  parseSelector,
  SECURITY_MODES,
  type SecurityPolicy,
  type TolerationLists,
} from '../admission/index.js';
import { isDns1123Label, isDns1123Subdomain, type JsonValue } from '../api/index.js';
import { jsonText } from '../codec/index.js';
import {
  ConfigError,
  checkFields,
  describeErrors,
  type FileTypes,
  parseYaml,
  readConfigFile,
} from '../config/index.js';

/**
 * Reads `--admission-control-config-file`: an AdmissionConfiguration whose plug-ins are configured in the file, or in
 * another file at a path relative to it. Throws `ConfigError` with the path of every invalid field.
 */
export async function readAdmissionConfig(file: string): Promise<FileSettings> {
  if (file === '') return {};
  const { plugins = [] } = await read<AdmissionConfiguration>(
    'failed to apply admission: failed to read plugin config',
    await textOf(file),
    CONFIGURATION_TYPES,
  );
  let settings: FileSettings = {};
  for (const { name, path = '', configuration } of plugins) {
    const source = `failed to apply admission: couldn't init admission plugin ${JSON.stringify(name)}`;
    const text = configuration === undefined || configuration === null ? undefined : jsonText(configuration);
    const content = text ?? (path === '' ? undefined : await textOf(resolve(dirname(file), path)));
    if (content === undefined) continue;
    const found = await settingsOf(name, source, content);
    const kubeconfigs = { ...settings.kubeconfigs, ...found.kubeconfigs };
    settings = { ...settings, ...found, ...(Object.keys(kubeconfigs).length > 0 ? { kubeconfigs } : {}) };
  }
  return settings;
}

interface AdmissionConfiguration {
  readonly plugins?: readonly { readonly name: string; readonly path?: string; readonly configuration?: JsonValue }[];
}

const CONFIGURATION = {
  title: 'AdmissionConfiguration',
  properties: {
    plugins: {
      type: 'array',
      items: {
        type: 'object',
        title: 'AdmissionPluginConfiguration',
        required: ['name'],
        properties: { name: { type: 'string' }, path: { type: 'string' }, configuration: {} },
        additionalProperties: false,
      },
    },
  },
};

const CONFIGURATION_TYPES: FileTypes = {
  'apiserver.config.k8s.io/v1/AdmissionConfiguration': CONFIGURATION,
  'apiserver.k8s.io/v1alpha1/AdmissionConfiguration': CONFIGURATION,
};

/** The content of the file. `kubeconfigs` has the files with the credentials for webhooks, by plug-in; '' for none. */
export type FileSettings = Omit<AdmissionSettings, 'webhooks' | 'imagePolicy' | 'createNamespace'> & {
  readonly imagePolicy?: ImagePolicyConfig;
  readonly kubeconfigs?: Readonly<Record<string, string>>;
};

async function settingsOf(plugin: string, source: string, text: string): Promise<FileSettings> {
  switch (plugin) {
    case 'PodSecurity':
      return { podSecurity: podSecurityOf(source, await read(source, text, POD_SECURITY_TYPES)) };
    case 'EventRateLimit':
      return { eventLimits: (await read<{ limits: readonly EventLimit[] }>(source, text, EVENT_RATE_TYPES)).limits };
    case 'ResourceQuota':
      return { limitedResources: limitedOf(await read(source, text, QUOTA_TYPES)) };
    case 'PodTolerationRestriction':
      return { tolerations: await read<TolerationLists>(source, text, TOLERATION_TYPES) };
    case 'PodNodeSelector':
      return { nodeSelectors: await nodeSelectorsOf(source, text) };
    case 'MutatingAdmissionWebhook':
    case 'ValidatingAdmissionWebhook':
      return { kubeconfigs: { [plugin]: await webhookKubeconfig(source, text) } };
    case 'ImagePolicyWebhook':
      return { imagePolicy: await imagePolicyOf(source, text) };
    default:
      throw new ConfigError(`${source}: this server has no configuration for the admission plug-in ${plugin}`);
  }
}

const LEVEL = { type: 'string', enum: ['privileged', 'baseline', 'restricted'], default: 'privileged' };
const VERSION = { type: 'string', default: 'latest' };
const NAMES = { type: 'array', items: { type: 'string' }, default: [] };
const POD_SECURITY = {
  title: 'PodSecurityConfiguration',
  properties: {
    defaults: {
      type: 'object',
      title: 'PodSecurityDefaults',
      default: {},
      properties: Object.fromEntries(
        SECURITY_MODES.flatMap((m) => [[m, LEVEL] as const, [`${m}-version`, VERSION] as const]),
      ),
      additionalProperties: false,
    },
    exemptions: {
      type: 'object',
      title: 'PodSecurityExemptions',
      default: {},
      properties: { usernames: NAMES, namespaces: NAMES, runtimeClasses: NAMES },
      additionalProperties: false,
    },
  },
};
const POD_SECURITY_TYPES: FileTypes = Object.fromEntries(
  ['v1', 'v1beta1', 'v1alpha1'].map((v) => [
    `pod-security.admission.config.k8s.io/${v}/PodSecurityConfiguration`,
    POD_SECURITY,
  ]),
);

const EVENT_RATE_TYPES: FileTypes = {
  'eventratelimit.admission.k8s.io/v1alpha1/Configuration': {
    title: 'Configuration',
    required: ['limits'],
    properties: {
      limits: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          title: 'Limit',
          required: ['type', 'qps', 'burst'],
          properties: {
            type: { type: 'string', title: 'LimitType', enum: ['Server', 'Namespace', 'User', 'SourceAndObject'] },
            qps: { type: 'integer', title: 'int32', minimum: 1 },
            burst: { type: 'integer', title: 'int32', minimum: 1 },
            cacheSize: { type: 'integer', title: 'int32', minimum: 1, default: 4096 },
          },
          additionalProperties: false,
        },
      },
    },
  },
};

const LIMITED = {
  title: 'ResourceQuotaConfiguration',
  properties: {
    limitedResources: {
      type: 'array',
      default: [],
      items: {
        type: 'object',
        title: 'LimitedResource',
        required: ['resource', 'matchContains'],
        properties: {
          apiGroup: { type: 'string', default: '' },
          resource: { type: 'string', minLength: 1 },
          matchContains: { type: 'array', items: { type: 'string' } },
        },
        additionalProperties: false,
      },
    },
  },
};
const QUOTA_TYPES: FileTypes = {
  'apiserver.config.k8s.io/v1/ResourceQuotaConfiguration': LIMITED,
  'resourcequota.admission.k8s.io/v1beta1/Configuration': LIMITED,
  'resourcequota.admission.k8s.io/v1alpha1/Configuration': LIMITED,
};

const TOLERATIONS = {
  type: 'array',
  default: [],
  items: {
    type: 'object',
    properties: {
      key: { type: 'string' },
      operator: { type: 'string', enum: ['Equal', 'Exists', 'Lt', 'Gt'] },
      value: { type: 'string' },
      effect: { type: 'string', enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
      tolerationSeconds: { type: 'integer' },
    },
    additionalProperties: false,
  },
};
const TOLERATION_TYPES: FileTypes = {
  'podtolerationrestriction.admission.k8s.io/v1alpha1/Configuration': {
    properties: { default: TOLERATIONS, whitelist: TOLERATIONS },
  },
};

interface PodSecurityFile {
  readonly defaults: Readonly<Record<string, string>>;
  readonly exemptions: Readonly<Record<'usernames' | 'namespaces' | 'runtimeClasses', readonly string[]>>;
}

function podSecurityOf(source: string, { defaults, exemptions }: PodSecurityFile): PodSecurityConfig {
  const problems: string[] = [];
  const policy = Object.fromEntries(
    SECURITY_MODES.map((mode) => {
      const minor = parseMinor(defaults[`${mode}-version`] ?? '');
      if (minor === undefined) problems.push(`defaults.${mode}-version: must be "latest" or "v1.x"`);
      return [mode, { level: parseLevel(defaults[mode] ?? '') ?? 'privileged', minor: minor ?? 0 }];
    }),
  ) as unknown as SecurityPolicy;
  const check = (
    field: keyof PodSecurityFile['exemptions'],
    rule: (name: string) => readonly string[],
  ): Set<string> => {
    const names = exemptions[field];
    for (const [i, name] of names.entries()) {
      const why = rule(name).join(', ');
      if (why !== '') problems.push(`exemptions.${field}[${i}]: ${why}`);
      else if (names.indexOf(name) < i) problems.push(`exemptions.${field}[${i}]: duplicate value`);
    }
    return new Set(names);
  };
  const usernames = check('usernames', (name) => (name === '' ? ['username must not be empty'] : []));
  const namespaces = check('namespaces', isDns1123Label);
  const runtimeClasses = check('runtimeClasses', isDns1123Subdomain);
  if (problems.length > 0) throw new ConfigError(`${source}: ${problems.join('; ')}`);
  return { defaults: policy, exemptions: { usernames, namespaces, runtimeClasses } };
}

function limitedOf(file: {
  readonly limitedResources: readonly {
    readonly apiGroup: string;
    readonly resource: string;
    readonly matchContains: readonly string[];
  }[];
}): readonly LimitedResource[] {
  return file.limitedResources.map(({ apiGroup, resource, matchContains }) => ({
    group: apiGroup,
    resource,
    matchContains,
  }));
}

const WEBHOOK = {
  title: 'WebhookAdmission',
  properties: { kubeConfigFile: { type: 'string', default: '' } },
};
const WEBHOOK_TYPES: FileTypes = {
  'apiserver.config.k8s.io/v1/WebhookAdmissionConfiguration': WEBHOOK,
  'apiserver.config.k8s.io/v1alpha1/WebhookAdmission': WEBHOOK,
};

/** The path is absolute, or relative to the working directory, as in kube-apiserver. */
async function webhookKubeconfig(source: string, text: string): Promise<string> {
  const { kubeConfigFile } = await read<{ readonly kubeConfigFile: string }>(source, text, WEBHOOK_TYPES);
  if (kubeConfigFile !== '' && !isAbsolute(kubeConfigFile))
    throw new ConfigError(`${source}: kubeConfigFile must be an absolute file path`);
  return kubeConfigFile;
}

/** This configuration has no apiVersion and kind. */
async function nodeSelectorsOf(source: string, text: string): Promise<NodeSelectors> {
  const parsed = parseYaml(text);
  if ('errors' in parsed) throw new ConfigError(`${source}: ${describeErrors(parsed.errors)}`);
  const errors = await checkFields(parsed.value, {
    type: 'object',
    required: ['podNodeSelectorPluginConfig'],
    properties: { podNodeSelectorPluginConfig: { type: 'object', additionalProperties: { type: 'string' } } },
    additionalProperties: false,
  });
  if (errors.length > 0) throw new ConfigError(`${source}: ${describeErrors(errors)}`);
  const { podNodeSelectorPluginConfig: given } = parsed.value as {
    readonly podNodeSelectorPluginConfig: Readonly<Record<string, string>>;
  };
  return Object.fromEntries(
    Object.entries(given).map(([name, selector]) => {
      const labels = parseSelector(selector);
      if (labels === undefined)
        throw new ConfigError(`${source}: podNodeSelectorPluginConfig.${name}: must be like a=b,c=d`);
      return [name, labels];
    }),
  );
}

/** This configuration has no apiVersion and kind, and its times are numbers: 0 is the default, and -1 none. */
async function imagePolicyOf(source: string, text: string): Promise<ImagePolicyConfig> {
  const parsed = parseYaml(text);
  if ('errors' in parsed) throw new ConfigError(`${source}: ${describeErrors(parsed.errors)}`);
  const properties = {
    kubeConfigFile: { type: 'string' },
    allowTTL: { type: 'integer' },
    denyTTL: { type: 'integer' },
    retryBackoff: { type: 'integer' },
    defaultAllow: { type: 'boolean' },
  };
  const errors = await checkFields(parsed.value, {
    type: 'object',
    required: ['imagePolicy'],
    properties: { imagePolicy: { type: 'object', required: ['kubeConfigFile'], properties } },
  });
  if (errors.length > 0) throw new ConfigError(`${source}: ${describeErrors(errors)}`);
  const { imagePolicy: given } = parsed.value as { readonly imagePolicy: ImagePolicyFile };
  const time = (field: 'allowTTL' | 'denyTTL' | 'retryBackoff', unit: number, normal: number, max: number): number => {
    const value = given[field] ?? 0;
    if (value === 0 || value === -1) return value === 0 ? normal : 0;
    if (value < 0 || value * unit > max)
      throw new ConfigError(`${source}: imagePolicy.${field}: must be between 1 and ${max / unit}, got ${value}`);
    return value * unit;
  };
  return {
    kubeConfigFile: given.kubeConfigFile,
    allowTime: time('allowTTL', 1000, 300_000, 1_800_000),
    denyTime: time('denyTTL', 1000, 30_000, 1_800_000),
    retryWait: time('retryBackoff', 1, 500, 300_000),
    defaultAllow: given.defaultAllow ?? false,
  };
}

interface ImagePolicyFile {
  readonly kubeConfigFile: string;
  readonly allowTTL?: number;
  readonly denyTTL?: number;
  readonly retryBackoff?: number;
  readonly defaultAllow?: boolean;
}

async function read<T>(source: string, text: string, types: FileTypes): Promise<T> {
  const found = await readConfigFile<T>(text, types);
  if (!found.ok) throw new ConfigError(`${source}: ${describeErrors(found.errors)}`);
  return found.value;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`--admission-control-config-file: cannot read ${file}: ${(error as Error).message}`);
  }
}
