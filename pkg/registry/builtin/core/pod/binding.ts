import {
  errors,
  FieldErrors,
  FieldPath,
  formatTime,
  isDns1123Subdomain,
  isObject,
  type JsonObject,
} from '../../../../api/index.js';
import type { ResourceDeclaration, Subresource, VirtualRequest } from '../../../resource.js';
import { invalidObject, shownKey } from '../../../systemfields.js';
import { at, listAt, objectIn, textAt } from '../../access.js';
import { putCondition } from '../../conditions.js';
import { versions } from '../../form.js';
import { SUCCESS } from '../../success.js';

/** The binding subresource assigns a pod to a node, once. */

export const bindingSubresource: Subresource = {
  verbs: ['create'],
  kind: { group: '', version: 'v1', kind: 'Binding' },
  behaviour: { kind: 'action', run: bindNamed },
};

/** The older bindings resource: the binding has the name of the pod. */
export const binding: ResourceDeclaration = {
  group: '',
  resource: 'bindings',
  singular: 'binding',
  kind: 'Binding',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  verbs: ['create'],
  strategy: {},
  virtual: (request) => bind(request, textAt(request.body, 'metadata', 'name')),
};

async function bindNamed(request: VirtualRequest): Promise<JsonObject> {
  if (textAt(request.body, 'metadata', 'name') !== request.name)
    throw errors.badRequest('name in URL does not match name in Binding object');
  return bind(request, request.name);
}

async function bind({ body, namespace, objects, context }: VirtualRequest, name: string): Promise<JsonObject> {
  const kind = textAt(body, 'target', 'kind');
  const node = textAt(body, 'target', 'name');
  const found = new FieldErrors();
  if (kind !== '' && kind !== 'Node') found.notSupported(FieldPath.of('target', 'kind'), kind, ['Node', '<empty>']);
  const at = FieldPath.of('target', 'name');
  if (node === '') found.required(at);
  // kube-apiserver finds a node that no Node can be called when it changes the pod, thus only after the other errors.
  else if (found.empty) for (const sentence of isDns1123Subdomain(node)) found.invalid(at, node, sentence);
  if (!found.empty) throw errors.invalid({ group: '', kind: 'Binding' }, name, found.list);
  if (name === '') throw errors.badRequest('Name parameter required.');
  await objects.change(
    { group: '', resource: 'pods', namespace, name },
    {
      dryRun: context.dryRun,
      strategy: { update: { generation: 'none' } },
      edit: (pod) => {
        refuseAnother(pod, body, { namespace, dryRun: context.dryRun });
        refuseUnlessFree(pod, name);
        objectIn(pod, 'spec')['nodeName'] = node;
        for (const field of ['annotations', 'labels'] as const) merge(pod, body, field);
        scheduled(pod, formatTime(context.world.clock.now()));
      },
    },
  );
  return SUCCESS;
}

/** A binding may have a UID and resource version as preconditions. */
function refuseAnother(
  pod: JsonObject,
  body: JsonObject | undefined,
  { namespace, dryRun }: { readonly namespace: string; readonly dryRun: boolean },
): void {
  const name = textAt(pod, 'metadata', 'name');
  for (const [field, word] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    const [given, found] = [textAt(body, 'metadata', field), textAt(pod, 'metadata', field)];
    if (given === '' || given === found) continue;
    const failed = `Precondition failed: ${word} in precondition: ${given}, ${word} in object meta: ${found}`;
    throw errors.conflict(
      { group: '', resource: 'pods' },
      name,
      invalidObject(shownKey(`/registry/pods/${namespace}/${name}`, dryRun), failed),
    );
  }
}

function refuseUnlessFree(pod: JsonObject, name: string): void {
  const conflict = (why: string): Error => errors.conflict({ group: '', resource: 'pods/binding' }, name, why);
  if (textAt(pod, 'metadata', 'deletionTimestamp') !== '')
    throw conflict(`pod ${name} is being deleted, cannot be assigned to a host`);
  const node = textAt(pod, 'spec', 'nodeName');
  if (node !== '') throw conflict(`pod ${name} is already assigned to node ${JSON.stringify(node)}`);
  if (listAt(pod, 'spec', 'schedulingGates').length > 0)
    throw conflict(`pod ${name} has non-empty .spec.schedulingGates`);
}

function merge(pod: JsonObject, body: JsonObject | undefined, field: string): void {
  const given = at(body, 'metadata', field);
  if (!isObject(given) || Object.keys(given).length === 0) return;
  const meta = objectIn(pod, 'metadata');
  meta[field] = { ...objectIn(meta, field), ...given };
}

function scheduled(pod: JsonObject, now: string): void {
  const status = objectIn(pod, 'status');
  putCondition(status, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now });
}
