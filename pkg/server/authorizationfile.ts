import { statSync } from 'node:fs';
import { durationProblem, FieldErrors, parseDuration } from '../api/index.js';
import {
  type AuthorizationConfig,
  type CompiledAuthorizer,
  compileAuthorization,
  typeProblems,
  type WebhookConfig,
} from '../auth/index.js';
import {
  type AccessConfig,
  ConfigError,
  describeErrors,
  type FileTypes,
  fileErrorText,
  readConfigFile,
} from '../config/index.js';
import { aggregateText, givenText } from './given.js';

const TEXT = { type: 'string', default: '' };
const DURATION = { type: 'string', default: '0s' };
const FLAG = { type: 'boolean', default: true };

/** `title`: the name of the type in Go, for errors. */
const objectOf = (title: string, properties: Readonly<Record<string, unknown>>, more: object = {}) => ({
  type: 'object',
  title,
  properties,
  additionalProperties: false,
  ...more,
});

const SCHEMA = {
  title: 'AuthorizationConfiguration',
  properties: {
    authorizers: {
      type: 'array',
      default: [],
      items: objectOf('AuthorizerConfiguration', {
        type: TEXT,
        name: TEXT,
        webhook: objectOf('WebhookConfiguration', {
          authorizedTTL: DURATION,
          cacheAuthorizedRequests: FLAG,
          unauthorizedTTL: DURATION,
          cacheUnauthorizedRequests: FLAG,
          timeout: DURATION,
          subjectAccessReviewVersion: TEXT,
          matchConditionSubjectAccessReviewVersion: TEXT,
          failurePolicy: TEXT,
          connectionInfo: objectOf(
            'WebhookConnectionInfo',
            { type: TEXT, kubeConfigFile: { type: 'string' } },
            { default: {} },
          ),
          matchConditions: {
            type: 'array',
            default: [],
            items: objectOf('WebhookMatchCondition', { expression: TEXT }),
          },
        }),
      }),
    },
  },
};

const TYPES: FileTypes = Object.fromEntries(
  ['v1', 'v1beta1', 'v1alpha1'].map((v) => [`apiserver.config.k8s.io/${v}/AuthorizationConfiguration`, SCHEMA]),
);

type DurationField = 'authorizedTTL' | 'unauthorizedTTL' | 'timeout';
type WebhookFile = Omit<WebhookConfig, DurationField> & Readonly<Record<DurationField, string>>;

interface File {
  readonly authorizers: readonly { readonly type: string; readonly name: string; readonly webhook?: WebhookFile }[];
}

/** Nanoseconds: the default of an absent time. */
const AUTHORIZED_TTL = 300_000_000_000n;
const UNAUTHORIZED_TTL = 30_000_000_000n;

/**
 * Reads an AuthorizationConfiguration. `required` are types that a reload must keep. Throws `ConfigError` with every
 * problem and the messages of kube-apiserver.
 */
export async function readAuthorization(
  text: string,
  required?: ReadonlySet<string>,
): Promise<readonly CompiledAuthorizer[]> {
  const config: AuthorizationConfig = {
    // As in kube-apiserver, an empty file is a configuration without authorizers.
    authorizers: (text === '' ? [] : await authorizersIn(text)).map(({ type, name, webhook }) => ({
      type,
      name,
      webhook: webhook === undefined ? undefined : withTimes(webhook),
    })),
  };
  const errors = new FieldErrors();
  const compiled = compileAuthorization(config, fileProblem, errors);
  if (!errors.empty) throw new ConfigError(aggregateText(errors));
  const problems = typeProblems(config, required);
  if (problems.length > 0) throw new ConfigError(problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`);
  return compiled;
}

async function authorizersIn(text: string): Promise<File['authorizers']> {
  const found = await readConfigFile<File>(text, TYPES);
  if (found.ok) return found.value.authorizers;
  throw new ConfigError(`failed to load AuthorizationConfiguration from file: ${describeErrors(found.errors)}`);
}

/** Reads the file of `--authorization-config` at the start. */
export async function readAuthorizationFile(
  path: string,
): Promise<{ readonly text: string; readonly authorizers: readonly CompiledAuthorizer[] }> {
  const text = givenText({ flag: 'authorization-config', path });
  return { text, authorizers: await readAuthorization(text) };
}

function withTimes(webhook: WebhookFile): WebhookConfig {
  const time = (field: DurationField): bigint => {
    const found = parseDuration(webhook[field]);
    if (found === undefined)
      throw new ConfigError(`failed to load AuthorizationConfiguration from file: ${durationProblem(webhook[field])}`);
    return found;
  };
  return {
    ...webhook,
    connectionInfo: { type: webhook.connectionInfo.type, kubeConfigFile: webhook.connectionInfo.kubeConfigFile },
    timeout: time('timeout'),
    authorizedTTL: time('authorizedTTL') || AUTHORIZED_TTL,
    unauthorizedTTL: time('unauthorizedTTL') || UNAUTHORIZED_TTL,
  };
}

function fileProblem(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? undefined : 'must be a regular file';
  } catch (error) {
    return `error loading file: ${fileErrorText(error, path)}`;
  }
}

const nanos = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1e6));
/** The defaults of kube-apiserver for a webhook in flags. */
const FLAG_TIMEOUT = 30_000_000_000n;

/** The authorizers in `--authorization-mode`. */
export function authorizersOfFlags({
  authorizationModes,
  authorizationWebhook,
}: AccessConfig): readonly CompiledAuthorizer[] {
  const { configFile, version, authorizedTime, unauthorizedTime } = authorizationWebhook;
  return authorizationModes.map((type) => ({
    conditions: [],
    config: {
      type,
      name: type === 'Webhook' ? 'default' : type.toLowerCase(),
      webhook:
        type === 'Webhook'
          ? {
              authorizedTTL: nanos(authorizedTime),
              cacheAuthorizedRequests: authorizedTime !== 0,
              unauthorizedTTL: nanos(unauthorizedTime),
              cacheUnauthorizedRequests: unauthorizedTime !== 0,
              timeout: FLAG_TIMEOUT,
              subjectAccessReviewVersion: version,
              matchConditionSubjectAccessReviewVersion: '',
              failurePolicy: 'NoOpinion',
              connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: configFile },
              matchConditions: [],
            }
          : undefined,
    },
  }));
}
