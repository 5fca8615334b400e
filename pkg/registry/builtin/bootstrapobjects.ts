import type { JsonObject } from '../../api/index.js';
import { PERMANENT_NAMESPACES } from './core/namespacefacts.js';

/** The objects that every cluster has from the start. */

export interface BootstrapConfig {
  /** The address of the Service `kubernetes`, from the first service range; '' for no Service. */
  readonly serviceAddress: string;
  /** The service ranges: the ServiceCIDR `kubernetes`. */
  readonly serviceRanges: readonly string[];
  /** The port that the server listens on. */
  readonly securePort: number;
}

export interface BootstrapObject {
  readonly resource: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly object: JsonObject;
}

/** Priority classes for pods that are critical to a cluster or a node. */
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

const NAMESPACES = [...PERMANENT_NAMESPACES, 'kube-node-lease'] as const;

/** The namespaces that every cluster has. */
export function bootstrapNamespaces(): readonly BootstrapObject[] {
  return NAMESPACES.map((name) => ({
    resource: 'namespaces',
    namespace: '',
    object: { kind: 'Namespace', apiVersion: 'v1', metadata: { name } },
  }));
}

/** In the order in which they are created. */
export function bootstrapObjects(config: BootstrapConfig): readonly BootstrapObject[] {
  const namespaces = bootstrapNamespaces();
  const classes = PRIORITY_CLASSES.map(({ name, ...rest }) => ({
    resource: 'priorityclasses',
    namespace: '',
    object: { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1', metadata: { name }, ...rest },
  }));
  if (config.serviceAddress === '') return [...namespaces, ...classes];
  const range = {
    resource: 'servicecidrs',
    namespace: '',
    object: {
      kind: 'ServiceCIDR',
      apiVersion: 'networking.k8s.io/v1',
      metadata: { name: 'kubernetes' },
      spec: { cidrs: [...config.serviceRanges] },
    },
  };
  const service = { resource: 'services', namespace: 'default', object: kubernetesServiceObject(config) };
  return [...namespaces, ...classes, range, service];
}

/** The Service `default/kubernetes`. As in kube-apiserver, it has one address even with two ranges. */
export function kubernetesServiceObject({
  serviceAddress,
  securePort,
}: Pick<BootstrapConfig, 'serviceAddress' | 'securePort'>): JsonObject {
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
      clusterIP: serviceAddress,
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: securePort }],
    },
  };
}
