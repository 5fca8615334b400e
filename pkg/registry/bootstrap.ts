import { ApiError, isObject, type JsonObject } from '../api/index.js';
import type { Core } from './core.js';
import type { RequestContext } from './requests.js';
import { insert } from './write.js';

/** What every cluster has from its first moment. Made by whoever leads; what is there already is left alone. */

export interface BootstrapConfig {
  /** Where the Service `kubernetes` is: an address of each service range. */
  readonly serviceAddresses: readonly string[];
  /** Port at which the server itself listens. */
  readonly securePort: number;
}

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;

export async function bootstrap(core: Core, config: BootstrapConfig): Promise<void> {
  for (const name of NAMESPACES)
    await ensure(core, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }, 'namespaces');
  if (config.serviceAddresses.length > 0) await ensure(core, 'default', kubernetesService(config), 'services');
}

function kubernetesService({ serviceAddresses, securePort }: BootstrapConfig): JsonObject {
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: serviceAddresses[0]!,
      clusterIPs: [...serviceAddresses],
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: securePort }],
    },
  };
}

async function ensure(core: Core, namespace: string, object: JsonObject, plural: string): Promise<void> {
  const resource = core.catalogue().find('', 'v1', plural);
  if (resource === undefined) return;
  const meta = object['metadata'];
  const name = isObject(meta) ? String(meta['name']) : '';
  const key = namespace === '' ? name : `${namespace}/${name}`;
  if (core.cache.collection(resource.storage.prefix)?.get(resource.storage.prefix + key) !== undefined) return;
  const context: RequestContext = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    userAgent: '',
    deadline: core.world.clock.monotonic() + BOOTSTRAP_PATIENCE,
    warn: () => {},
  };
  const target = { resource, namespace, subresource: '' };
  const options = { dryRun: false, fieldManager: 'trireme', fieldValidation: 'Ignore' } as const;
  try {
    await insert(core, { target, name: '', options, context }, object, false);
  } catch (e) {
    if (!(e instanceof ApiError && e.status.reason === 'AlreadyExists')) throw e;
  }
}

/** Milliseconds. */
const BOOTSTRAP_PATIENCE = 30_000;
