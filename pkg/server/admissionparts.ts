import {
  type AdmissionSettings,
  type AuthorizeCheck,
  type ImagePolicyConfig,
  isChosen,
  type PluginChoice,
} from '../admission/index.js';
import type { Authorizer } from '../auth/index.js';
import type { World } from '../base/index.js';
import { ConfigError } from '../config/index.js';
import type { Cluster } from '../controllers/index.js';
import { KubeconfigError, type Outbound, ReviewClient } from '../outbound/index.js';
import { reviewTarget } from './reviewtarget.js';

/** Milliseconds for one review of images, as for the other reviews. */
const REVIEW_TIMEOUT = 30_000;

export interface ImagePolicySurroundings {
  readonly chosen: PluginChoice;
  readonly world: World;
  readonly outbound: Outbound;
  readonly note: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** The parts of ImagePolicyWebhook, if it is enabled. Throws `ConfigError` without a valid configuration. */
export function imagePolicyOf(
  config: ImagePolicyConfig | undefined,
  { chosen, world, outbound, note }: ImagePolicySurroundings,
): AdmissionSettings['imagePolicy'] {
  if (!isChosen('ImagePolicyWebhook', chosen)) return undefined;
  const fail = (why: string): ConfigError =>
    new ConfigError(`failed to apply admission: couldn't init admission plugin "ImagePolicyWebhook": ${why}`);
  if (config === undefined) throw fail('no config specified');
  try {
    const target = reviewTarget(config.kubeConfigFile, world);
    const client = new ReviewClient({ world, outbound, target, timeout: REVIEW_TIMEOUT, firstWait: config.retryWait });
    return { config, client, note };
  } catch (error) {
    if (error instanceof KubeconfigError) throw fail(error.message);
    throw error;
  }
}

/** The authorizer as admission plug-ins ask it. */
export function authorizeCheckOf(authorizer: () => Authorizer): AuthorizeCheck {
  return async (user, attributes) => {
    const decision = await authorizer().authorize(user, attributes);
    return {
      allowed: decision.kind === 'allow',
      reason: decision.reason,
      error: decision.kind === 'allow' ? undefined : decision.error,
    };
  };
}

/** Creates a namespace for NamespaceAutoProvision. Throws `ApiError`. */
export async function createNamespace(cluster: Cluster, name: string): Promise<void> {
  const namespaces = cluster.servedResources().find('', 'v1', 'namespaces');
  if (namespaces === undefined) throw new Error('namespaces are not served');
  await cluster.create(namespaces, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
