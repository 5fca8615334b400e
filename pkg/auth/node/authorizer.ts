import type { Attributes, ResourceAttributes } from '../attributes.js';
import type { Authorizer, Decision } from '../authz/authorizer.js';
import { NODES_GROUP } from '../impersonate.js';
import type { AuthObjects } from '../objects.js';
import { CLUSTER_ROLES } from '../rbac/policy/clusterroles.js';
import { roleObject } from '../rbac/policy/spec.js';
import { ruleAllows, rulesOf } from '../rbac/rules.js';
import type { UserInfo } from '../user.js';
import type { NodeGraph } from './graph.js';

const ALLOW: Decision = { kind: 'allow', reason: '' };
const NO_OPINION: Decision = { kind: 'noOpinion', reason: '' };
const no = (reason: string): Decision => ({ kind: 'noOpinion', reason });

const NODE_PREFIX = 'system:node:';
const NODE_LEASES = 'kube-node-lease';

/** Returns the node of a user, '' if the name has none; undefined for users that are not nodes. */
export function nodeOfUser({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(NODE_PREFIX) && groups.includes(NODES_GROUP) ? name.slice(NODE_PREFIX.length) : undefined;
}

/**
 * Mode `Node`: lets a kubelet read the objects that pods on its node use, and write what it reports. The admission
 * plug-in NodeRestriction restricts changes of its own objects.
 */
export function nodeAuthorizer(graph: NodeGraph, objects: AuthObjects, enabled: (gate: string) => boolean): Authorizer {
  const rules = rulesOf(roleObject(CLUSTER_ROLES.find((role) => role.name === 'system:node')!));
  const decide = (node: string, attributes: Attributes): Decision => {
    if (attributes.kind === 'resource') {
      const rule = RULES[`${attributes.resource}.${attributes.group}`];
      if (rule !== undefined) return rule({ node, graph, enabled }, attributes);
    }
    return rules.some((rule) => ruleAllows(rule, attributes)) ? ALLOW : NO_OPINION;
  };
  return {
    authorize(user, attributes) {
      const node = nodeOfUser(user);
      if (node === undefined) return NO_OPINION;
      if (node === '') return no(`unknown node for user ${JSON.stringify(user.name)}`);
      const wait = objects.current();
      return wait === undefined ? decide(node, attributes) : wait.then(() => decide(node, attributes));
    },
  };
}

interface Asking {
  readonly node: string;
  readonly graph: NodeGraph;
  enabled(gate: string): boolean;
}

type Rule = (asking: Asking, a: ResourceAttributes) => Decision;

function related({ node, graph }: Asking, { resource, namespace, name }: ResourceAttributes): Decision {
  if (name === '') return no('No Object name found');
  return graph.relates(node, resource, namespace, name)
    ? ALLOW
    : no(`no relationship found between node '${node}' and this object`);
}

const get: Rule = (asking, a) => {
  if (a.verb !== 'get') return no('can only get individual resources of this type');
  return a.subresource === '' ? related(asking, a) : no('cannot get subresource');
};

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const OWN_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);

const read: Rule = (asking, a) => {
  if (!READS.has(a.verb)) return no('can only read resources of this type');
  if (a.subresource !== '') return no('cannot read subresource');
  return a.namespace === '' ? no('can only read namespaced object of this type') : related(asking, a);
};

/** Whether a field selector narrows the request to the node. */
const selectsNode = ({ node }: Asking, { fieldSelector }: ResourceAttributes, field: string): boolean =>
  fieldSelector?.some((r) => r.field === field && r.equal && r.value === node) === true;

const RULES: Readonly<Record<string, Rule | undefined>> = Object.assign(Object.create(null), {
  'secrets.': read,
  'configmaps.': read,
  'persistentvolumeclaims.': ((asking, a) => {
    if (a.subresource !== 'status') return get(asking, a);
    return a.verb === 'update' || a.verb === 'patch' ? related(asking, a) : no('can only get/update/patch this type');
  }) satisfies Rule,
  'persistentvolumes.': get,
  'resourceclaims.resource.k8s.io': get,
  'volumeattachments.storage.k8s.io': get,
  'serviceaccounts.': ((asking, a) => {
    if (a.verb === 'get' && a.subresource === '')
      return asking.enabled('KubeletServiceAccountTokenForCredentialProviders') ||
        asking.enabled('PodCertificateRequest')
        ? read(asking, a)
        : no('not allowed to get service accounts');
    if (a.verb !== 'create' || a.name === '') return no('can only create tokens for individual service accounts');
    return a.subresource === 'token' ? related(asking, a) : no('can only create token subresource of serviceaccount');
  }) satisfies Rule,
  'leases.coordination.k8s.io': (({ node }, a) => {
    if (!OWN_VERBS.has(a.verb)) return no('can only get, create, update, patch, or delete a node lease');
    if (a.namespace !== NODE_LEASES) return no(`can only access leases in the "${NODE_LEASES}" system namespace`);
    return a.verb === 'create' || a.name === node
      ? ALLOW
      : no('can only access node lease with the same name as the requesting node');
  }) satisfies Rule,
  'csinodes.storage.k8s.io': csiNode,
  'resourceslices.resource.k8s.io': resourceSlice,
  'nodes.': ownNode,
  'pods.': pod,
  'podcertificaterequests.certificates.k8s.io': podCertificateRequest,
});

function csiNode({ node, enabled }: Asking, a: ResourceAttributes): Decision {
  if (a.subresource === '') {
    if (!OWN_VERBS.has(a.verb)) return no('can only get, create, update, patch, or delete a CSINode');
  } else if (a.subresource === 'status') {
    if (!enabled('CSIVolumeHealth')) return no('CSINode status access requires CSIVolumeHealth feature');
    if (!['get', 'update', 'patch'].includes(a.verb)) return no('can only get, update, or patch CSINode status');
  } else return no('cannot authorize CSINode subresources');
  return a.verb === 'create' || a.name === node
    ? ALLOW
    : no('can only access CSINode with the same name as the requesting node');
}

function resourceSlice(asking: Asking, a: ResourceAttributes): Decision {
  if (a.subresource !== '') return no('cannot authorize ResourceSlice subresources');
  switch (a.verb) {
    case 'create':
      return ALLOW;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related(asking, a);
    case 'watch':
    case 'list':
    case 'deletecollection':
      return selectsNode(asking, a, 'spec.nodeName')
        ? ALLOW
        : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
    default:
      return no(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
  }
}

function ownNode({ node }: Asking, { verb, name, subresource }: ResourceAttributes): Decision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOW : NO_OPINION;
  if (subresource !== '') return NO_OPINION;
  if (verb === 'create' || verb === 'update' || verb === 'patch') return ALLOW;
  if (!READS.has(verb)) return NO_OPINION;
  // By name and not by the graph: a kubelet reads its node before it creates it.
  if (name === node) return ALLOW;
  return name === ''
    ? no(`node '${node}' cannot read all nodes, only its own Node object`)
    : no(`node '${node}' cannot read '${name}', only its own Node object`);
}

function pod(asking: Asking, a: ResourceAttributes): Decision {
  const { verb, subresource } = a;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOW : NO_OPINION;
  if (subresource === 'eviction') return verb === 'create' ? ALLOW : NO_OPINION;
  if (subresource !== '') return NO_OPINION;
  if (verb === 'get') return get(asking, a);
  if (verb === 'create' || verb === 'delete') return ALLOW;
  if (verb !== 'list' && verb !== 'watch') return NO_OPINION;
  if (selectsNode(asking, a, 'spec.nodeName')) return ALLOW;
  return a.name === '' ? no('can only list/watch pods with spec.nodeName field selector') : related(asking, a);
}

function podCertificateRequest(asking: Asking, a: ResourceAttributes): Decision {
  if (!asking.enabled('PodCertificateRequest')) return NO_OPINION;
  if (a.subresource !== '') return no('nodes may not access the status subresource of PodCertificateRequests');
  if (a.verb === 'create') return ALLOW;
  if (a.verb === 'get') return related(asking, a);
  if (a.verb !== 'list' && a.verb !== 'watch') return no(`nodes may not ${a.verb} podcertificaterequests`);
  return selectsNode(asking, a, 'spec.nodeName')
    ? ALLOW
    : no('can only list/watch podcertificaterequests with nodeName field selector');
}
