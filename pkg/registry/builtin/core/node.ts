import type { FieldName, Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, boolAt, objectAt, objectsAt, textAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table, wide } from '../table.js';
import { nodeProxy } from './connections.js';
import { declaredFeatures, defaultNode, validateNode, validateNodeUpdate, warnAboutNode } from './nodevalidation.js';

const rules = withStatus({
  defaults: defaultNode,
  create: { validate: validateNode },
  update: {
    generation: 'none',
    prepare: dropConfigSource,
    validate: (o, old, errors) => {
      validateNode(o, errors);
      validateNodeUpdate(o, old, errors);
    },
  },
  warn: warnAboutNode,
  compatibility: { checksUpdateLikeNew: true },
});

export const node: ResourceDeclaration<shapes.CoreV1Node> = {
  group: '',
  resource: 'nodes',
  singular: 'node',
  kind: 'Node',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['no'],
  storagePrefix: 'minions',
  // The kubelet registers its node together with the first status, so create does not clear it.
  strategy: { ...rules, create: { ...rules.create, prepare: dropConfigSource } },
  subresources: {
    proxy: nodeProxy,
    status: statusSubresource({
      update: {
        prepare: dropConfigSource,
        validate: (o, old, errors) => {
          validateNodeUpdate(o, old, errors, declaredFeatures);
        },
      },
    }),
  },
  selectableFields: { 'spec.unschedulable': (o) => String(boolAt(o, 'spec', 'unschedulable')) },
  table: table(
    [
      column('Status', 'Whether the node is ready and takes pods.'),
      column('Roles', 'Roles by label.'),
      AGE,
      column('Version', 'Version of the node agent.'),
      wide('Internal-IP', 'First internal address.'),
      wide('External-IP', 'First external address.'),
      wide('OS-Image', 'Operating system as the node reports it.'),
      wide('Kernel-Version', 'Kernel as the node reports it.'),
      wide('Container-Runtime', 'Runtime and version as the node reports them.'),
    ],
    (o, now) => [
      status(o),
      roles(o),
      age(o, now),
      info(o, 'kubeletVersion', ''),
      address(o, 'InternalIP'),
      address(o, 'ExternalIP'),
      info(o, 'osImage', '<unknown>'),
      kernel(o),
      info(o, 'containerRuntimeVersion', '<unknown>'),
    ],
  ),
};

/** The version of the kernel, and its architecture. */
function kernel(o: Shaped<shapes.CoreV1Node>): string {
  const version = info(o, 'kernelVersion', '<unknown>');
  const architecture = info(o, 'architecture', '');
  return architecture === '' ? version : `${version} (${architecture})`;
}

/** Dynamic kubelet configuration was removed from Kubernetes. */
function dropConfigSource(o: Shaped<shapes.CoreV1Node>): void {
  delete objectAt(o, 'spec')['configSource'];
  delete objectAt(o, 'status')['config'];
}

function status(o: Shaped<shapes.CoreV1Node>): string {
  const ready = objectsAt(o, 'status', 'conditions').find((c) => textAt(c, 'type') === 'Ready');
  const state = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return boolAt(o, 'spec', 'unschedulable') ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function roles(o: Shaped<shapes.CoreV1Node>): string {
  const labels = objectAt(o, 'metadata', 'labels');
  const found = new Set<string>();
  for (const [k, v] of Object.entries(labels)) {
    if (k.startsWith(ROLE_PREFIX) && k.length > ROLE_PREFIX.length) found.add(k.slice(ROLE_PREFIX.length));
    else if (k === 'kubernetes.io/role' && typeof v === 'string' && v !== '') found.add(v);
  }
  return found.size === 0 ? '<none>' : [...found].sort().join(',');
}

function address(o: Shaped<shapes.CoreV1Node>, type: string): string {
  const found = objectsAt(o, 'status', 'addresses').find((a) => textAt(a, 'type') === type);
  return found === undefined ? '<none>' : textAt(found, 'address');
}

function info(o: Shaped<shapes.CoreV1Node>, field: FieldName<shapes.CoreV1NodeSystemInfo>, otherwise: string): string {
  const v = at(o, 'status', 'nodeInfo', field);
  return typeof v === 'string' && v !== '' ? v : otherwise;
}
