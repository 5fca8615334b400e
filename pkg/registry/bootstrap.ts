import { ApiError, cloneJson, isObject, type JsonObject, parseApiVersion } from '../api/index.js';
import { type Core, fresh } from './core.js';
import type { RequestContext } from './requests.js';
import { insert } from './write.js';

/** What every cluster has from its first moment. Made by whoever is first; what is there already is left alone. */

export interface BootstrapConfig {
  /** Where the Service `kubernetes` is: an address of each service range. */
  readonly serviceAddresses: readonly string[];
  /** Port at which the server itself listens. */
  readonly securePort: number;
}

/** Classes of the pods without which a cluster, or a node, does not work. */
const PRIORITY_CLASSES = [
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
] as const;

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;

export async function bootstrap(core: Core, config: BootstrapConfig): Promise<void> {
  for (const name of NAMESPACES)
    await ensure(core, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }, 'namespaces');
  for (const { name, ...rest } of PRIORITY_CLASSES) {
    const o = { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1', metadata: { name }, ...rest };
    await ensure(core, '', o, 'priorityclasses');
  }
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
  const { group, version } = parseApiVersion(String(object['apiVersion']))!;
  const resource = core.catalogue().find(group, version, plural);
  if (resource === undefined) return;
  const meta = object['metadata'];
  const name = isObject(meta) ? String(meta['name']) : '';
  const key = namespace === '' ? name : `${namespace}/${name}`;
  const isThere = (): boolean =>
    core.cache.collection(resource.storage.prefix)?.get(resource.storage.prefix + key) !== undefined;
  const context: RequestContext = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    userAgent: '',
    deadline: core.world.clock.monotonic() + BOOTSTRAP_PATIENCE,
    warn: () => {},
    annotate: () => {},
  };
  const target = {
    kind: 'collection',
    rules: resource.strategy,
    resource,
    namespace,
    name: '',
    subresource: '',
  } as const;
  const options = { dryRun: false, fieldManager: 'trireme', fieldValidation: 'Ignore' } as const;
  for (let attempt = 1; !isThere(); attempt++) {
    try {
      await insert(core, { target, options, context }, cloneJson(object), false);
      return;
    } catch (e) {
      if (!(e instanceof ApiError)) throw e;
      // Peers that start together all come here. Whatever stood in the way (the name, an address): if it is there now, one was quicker.
      await fresh(core, context).catch(() => {});
      if (isThere()) return;
      const passes = e.status.code === 429 || e.status.code >= 500;
      if (!passes || attempt === BOOTSTRAP_ATTEMPTS) throw e;
      await new Promise<void>((resolve) => core.world.timers.after(BOOTSTRAP_PAUSE, resolve));
    }
  }
}

/** Milliseconds. */
const BOOTSTRAP_PATIENCE = 30_000;
const BOOTSTRAP_PAUSE = 250;
/** An election may be under way. */
const BOOTSTRAP_ATTEMPTS = 20;
