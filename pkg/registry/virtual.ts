import { errors, type JsonObject, parseApiVersion } from '../api/index.js';
import { revision } from '../base/index.js';
import type { Core } from './core.js';
import { labelOfNamespace } from './namespaces.js';
import type { Answer, ConnectRequest, ListResult, RequestContext, Target } from './requests.js';
import type { Verb, VirtualHandler, WriteContext } from './resource.js';

/** Requests that no stored object answers: reviews, component statuses, actions below an object. */

export interface VirtualCall {
  readonly name: string;
  readonly verb: Verb;
  readonly body?: JsonObject;
  readonly dryRun?: boolean;
}

export function handlerOf(target: Target): VirtualHandler {
  if (target.subresource === '') {
    const { virtual } = target.resource.declaration;
    if (virtual !== undefined) return virtual;
  } else {
    const { behaviour } = target.resource.subresources[target.subresource]!;
    if (behaviour.kind === 'action') return behaviour.run;
  }
  throw errors.internal(`${target.resource.resource}/${target.subresource} has no handler`);
}

/** A connection to somewhere else (`log`, `exec`, `proxy`). */
export async function connect(core: Core, request: ConnectRequest, context: RequestContext): Promise<void> {
  const { target, name, parameters } = request;
  const { behaviour } = target.resource.subresources[target.subresource]!;
  if (behaviour.kind !== 'connection')
    throw errors.internal(`${target.resource.resource}/${target.subresource} is no connection`);
  await behaviour.open({
    context: writeContext(core, target, context, false),
    namespace: target.namespace,
    name,
    parameters,
    objects: core.objects(context),
  });
}

export async function runVirtual(
  core: Core,
  target: Target,
  call: VirtualCall,
  context: RequestContext,
): Promise<JsonObject> {
  return handlerOf(target)({
    context: writeContext(core, target, context, call.dryRun ?? false),
    verb: call.verb,
    namespace: target.namespace,
    name: call.name,
    body: call.body,
    objects: core.objects(context),
  });
}

export async function virtualAnswer(
  core: Core,
  target: Target,
  call: VirtualCall,
  context: RequestContext,
): Promise<Answer> {
  return { kind: 'value', value: await runVirtual(core, target, call, context) };
}

export async function virtualList(core: Core, target: Target, context: RequestContext): Promise<ListResult> {
  const value = await runVirtual(core, target, { name: '', verb: 'list' }, context);
  return { revision: revision(core.cache.applied), continue: '', remainingItemCount: undefined, items: [], value };
}

export function writeContext(core: Core, target: Target, context: RequestContext, dryRun: boolean): WriteContext {
  const spoken = parseApiVersion(target.resource.apiVersion)!;
  return {
    world: core.world,
    user: context.user,
    namespace: target.namespace,
    dryRun,
    group: spoken.group,
    version: spoken.version,
    subresource: target.subresource,
    featureEnabled: (gate) => core.featureEnabled(gate),
    namespaceLabel: (key) => labelOfNamespace(core, target.namespace, key),
    warn: (text) => context.warn(text),
  };
}
