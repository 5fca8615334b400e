import type { JsonObject, JsonValue } from '../../pkg/api/index.js';

/** Valid objects of the kinds of the resource reference, by a short name, and changes to them by path. */

export interface Base {
  /** The path of the collection. */
  readonly path: string;
  readonly object: JsonObject;
}

const NS = 'rules';
const inNamespace = (groupVersion: string, resource: string): string =>
  `${groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`}/namespaces/${NS}/${resource}`;
const inCluster = (groupVersion: string, resource: string): string => `/apis/${groupVersion}/${resource}`;
const object = (apiVersion: string, kind: string, rest: JsonObject, name = 'rule'): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});

const POD: JsonObject = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
};
const REQUEST: JsonObject = { name: 'r', exactly: { deviceClassName: 'c' } };

export const bases = {
  ipaddress: {
    path: inCluster('networking.k8s.io/v1', 'ipaddresses'),
    object: object(
      'networking.k8s.io/v1',
      'IPAddress',
      { spec: { parentRef: { resource: 'services', name: 's', namespace: 'default' } } },
      '192.0.2.7',
    ),
  },
  ingressclass: {
    path: inCluster('networking.k8s.io/v1', 'ingressclasses'),
    object: object('networking.k8s.io/v1', 'IngressClass', {
      spec: { controller: 'example.com/c', parameters: { kind: 'Config', name: 'p', apiGroup: 'example.com' } },
    }),
  },
  runtimeclass: {
    path: inCluster('node.k8s.io/v1', 'runtimeclasses'),
    object: object('node.k8s.io/v1', 'RuntimeClass', { handler: 'runc' }),
  },
  rolebinding: {
    path: inNamespace('rbac.authorization.k8s.io/v1', 'rolebindings'),
    object: object('rbac.authorization.k8s.io/v1', 'RoleBinding', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' }],
    }),
  },
  replicationcontroller: {
    path: inNamespace('v1', 'replicationcontrollers'),
    object: object('v1', 'ReplicationController', { spec: { template: POD } }),
  },
  migration: {
    path: inCluster('storagemigration.k8s.io/v1', 'storageversionmigrations'),
    object: object('storagemigration.k8s.io/v1', 'StorageVersionMigration', {
      spec: { resource: { group: 'example.com', resource: 'things' } },
    }),
  },
  ingress: {
    path: inNamespace('networking.k8s.io/v1', 'ingresses'),
    object: object('networking.k8s.io/v1', 'Ingress', {
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    }),
  },
  policybinding: {
    path: inCluster('admissionregistration.k8s.io/v1', 'validatingadmissionpolicybindings'),
    object: object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', {
      spec: { policyName: 'p', validationActions: ['Deny'] },
    }),
  },
  deviceclass: {
    path: inCluster('resource.k8s.io/v1', 'deviceclasses'),
    object: object('resource.k8s.io/v1', 'DeviceClass', {
      spec: {
        config: [{ opaque: { driver: 'example.com', parameters: { a: 1 } } }],
        selectors: [{ cel: { expression: 'device.driver == "example.com"' } }],
      },
    }),
  },
  claim: {
    path: inNamespace('resource.k8s.io/v1', 'resourceclaims'),
    object: object('resource.k8s.io/v1', 'ResourceClaim', { spec: { devices: { requests: [REQUEST] } } }),
  },
  choice: {
    path: inNamespace('resource.k8s.io/v1', 'resourceclaims'),
    object: object('resource.k8s.io/v1', 'ResourceClaim', {
      spec: { devices: { requests: [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'c' }] }] } },
    }),
  },
  taintrule: {
    path: inCluster('resource.k8s.io/v1', 'devicetaintrules'),
    object: object('resource.k8s.io/v1', 'DeviceTaintRule', {
      spec: { deviceSelector: { driver: 'example.com' }, taint: { key: 'example.com/t', effect: 'NoSchedule' } },
    }),
  },
  endpointslice: {
    path: inNamespace('discovery.k8s.io/v1', 'endpointslices'),
    object: object('discovery.k8s.io/v1', 'EndpointSlice', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'], hints: { forZones: [{ name: 'z' }] } }],
      ports: [{ name: 'http', port: 80 }],
    }),
  },
  volumeattachment: {
    path: inCluster('storage.k8s.io/v1', 'volumeattachments'),
    object: object('storage.k8s.io/v1', 'VolumeAttachment', {
      spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
    }),
  },
  policy: {
    path: inCluster('admissionregistration.k8s.io/v1', 'validatingadmissionpolicies'),
    object: object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] },
          ],
        },
        validations: [{ expression: 'true' }],
      },
    }),
  },
  quota: {
    path: inNamespace('v1', 'resourcequotas'),
    object: object('v1', 'ResourceQuota', { spec: { hard: { pods: '3' }, scopes: ['BestEffort'] } }),
  },
  pod: {
    path: inNamespace('v1', 'pods'),
    object: object('v1', 'Pod', { spec: { containers: [{ name: 'c', image: 'nginx' }], restartPolicy: 'Never' } }),
  },
} as const satisfies Record<string, Base>;

export type BaseName = keyof typeof bases;

/** Values by path (`spec.ports.0.name`); undefined removes a field. A number at the end of a list appends. */
export type Changes = Readonly<Record<string, JsonValue | undefined>>;

/** The names of a path; `\.` is a dot in a name. */
const namesOf = (path: string): string[] => path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));

export function changed(from: JsonObject, changes: Changes): JsonObject {
  const copy = structuredClone(from);
  for (const [path, value] of Object.entries(changes)) {
    const names = namesOf(path);
    const last = names.pop()!;
    let at = copy as Record<string, JsonValue>;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Record<string, JsonValue>;
    }
    if (value === undefined) delete at[last];
    else at[last] = value;
  }
  return copy;
}

/** The value at a path, or undefined. */
export function valueAt(from: JsonValue, path: string): JsonValue | undefined {
  let at: JsonValue | undefined = from;
  for (const name of namesOf(path)) at = (at as Record<string, JsonValue> | null | undefined)?.[name];
  return at;
}
