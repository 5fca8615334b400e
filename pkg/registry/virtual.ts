import { errors, type JsonObject, objectAt, objectsAt, parseApiVersion } from '../api/index.js';
import { revision } from '../base/index.js';
import type { Labels } from '../cache/index.js';
import { Admitted } from './admission.js';
import { expectedKind } from './bodies.js';
import { labelOfNamespace } from './builtin/core/namespacelifecycle.js';
import type { Core } from './core.js';
import { metaOf, text } from './meta.js';
import type { ActionTarget, ConnectRequest, ListResult, RequestContext, Target, VirtualTarget } from './requests.js';
import type { Backend, QueryValues, Verb, WriteContext } from './resource.js';
import type { Selectable, Selected } from './selection.js';

/** Requests without a stored result: reviews, component statuses, actions and connections. */

export interface VirtualCall {
  readonly verb: Verb;
  readonly body?: JsonObject;
  readonly dryRun?: boolean;
}

export function runVirtual(
  core: Core,
  target: ActionTarget | VirtualTarget,
  { verb, body, dryRun = false }: VirtualCall,
  context: RequestContext,
): Promise<JsonObject> {
  return target.run({
    context: writeContext(core, target, context, dryRun),
    verb,
    namespace: target.namespace,
    name: target.name,
    body,
    objects: core.objects(context),
  });
}

/** A computed list is whole, as in kube-apiserver: `limit` does not apply to it. */
export async function listVirtual(
  core: Core,
  target: VirtualTarget,
  selected: Selected,
  context: RequestContext,
): Promise<ListResult> {
  const value = await runVirtual(core, target, { verb: 'list' }, context);
  const { matches } = selected;
  if (matches !== undefined) value['items'] = objectsAt(value, 'items').filter((item) => matches(selectable(item)));
  return { revision: revision(core.cache.applied), continue: '', remainingItemCount: undefined, items: [], value };
}

function selectable(item: JsonObject): Selectable {
  const meta = metaOf(item);
  return {
    name: text(meta, 'name'),
    namespace: text(meta, 'namespace'),
    uid: () => text(meta, 'uid'),
    labels: () => objectAt(meta, 'labels') as Labels,
    fields: () => [],
  };
}

/** Finds the backend of a connection to a pod, node or service (`log`, `exec`, `proxy`), after admission. */
export async function connect(
  core: Core,
  { target, parameters, path, addressTypes }: ConnectRequest,
  context: RequestContext,
): Promise<Backend | undefined> {
  if (target.kind !== 'connection') throw errors.methodNotAllowed();
  const object = connectOptions(target, parameters);
  const admitted = new Admitted(core, { target, operation: 'connect', context, dryRun: false, object, old: undefined });
  await admitted.mutate();
  await admitted.validate();
  return target.connection.open({
    context: writeContext(core, target, context, false),
    namespace: target.namespace,
    name: target.name,
    path,
    parameters,
    addressTypes,
    objects: core.objects(context),
  });
}

/** The query of a connection, as the object that admission sees: `PodExecOptions` and similar kinds. */
function connectOptions(target: Target, parameters: QueryValues): JsonObject {
  const { info, schema } = expectedKind(target);
  const object: JsonObject = { kind: info.kind, apiVersion: info.version };
  for (const { name, schema: type } of schema.fields) {
    if (!parameters.has(name)) continue;
    if (type.kind === 'list') object[name] = [...parameters.all(name)];
    else if (type.kind !== 'scalar') continue;
    else if (type.type === 'bool') object[name] = !['false', '0'].includes(parameters.text(name).toLowerCase());
    else if (type.type === 'int32' || type.type === 'int64') object[name] = parameters.integer(name) ?? 0;
    else object[name] = parameters.text(name);
  }
  return object;
}

export function writeContext(core: Core, target: Target, context: RequestContext, dryRun: boolean): WriteContext {
  const served = parseApiVersion(target.resource.apiVersion)!;
  return {
    world: core.world,
    scheduler: core.scheduler,
    user: context.user,
    verb: context.verb ?? '',
    namespace: target.namespace,
    dryRun,
    group: served.group,
    version: served.version,
    subresource: target.subresource,
    featureEnabled: (gate) => core.featureEnabled(gate),
    metrics: core.metrics,
    namespaceLabel: (key) => labelOfNamespace(core, target.namespace, key),
    warn: (text) => context.warn(text),
    annotate: (key, value) => context.annotate(key, value),
  };
}
