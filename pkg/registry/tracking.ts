import { apiVersionOf, cloneJson, type JsonObject, parseApiVersion } from '../api/index.js';
import { finish, type Steps } from '../base/index.js';
import { managedFieldsSteps, type TrackedResource } from '../patch/index.js';
import { expectedKind } from './bodies.js';
import { convertVersion } from './conversion.js';
import type { Core } from './core.js';
import { requestedForm } from './hub.js';
import { metaOf } from './meta.js';
import type { ActionTarget, RuledTarget, VirtualTarget } from './requests.js';
import type { ServedResource } from './servedresources.js';

/** Field ownership: the managed fields of an object, recorded in the version of the request. */

export function trackedResource(target: RuledTarget): TrackedResource {
  const { resource, subresource } = target;
  const known = resource.memory.tracked;
  let made = known.get(subresource);
  if (made === undefined) {
    const resetFields = resetFieldsOf(target);
    made = {
      // The schema of a custom resource is not kept forever.
      get schema() {
        return resource.schema;
      },
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      subresource,
      ...(resetFields === undefined ? {} : { resetFields }),
      convert: (object, from, to) => convert(resource, object, from, to),
    };
    known.set(subresource, made);
  }
  return made;
}

function resetFieldsOf({ resource, rules }: RuledTarget): TrackedResource['resetFields'] {
  const resetFields = rules.update?.resetFields;
  if (typeof resetFields !== 'function') return resetFields;
  return (owner) => resetFields(parseApiVersion(owner)?.version ?? '', resource.version);
}

/** Converts between two served versions of a kind. */
function convert(
  resource: ServedResource,
  object: JsonObject,
  from: string,
  to: string,
): { readonly object: JsonObject; readonly schema: ServedResource['schema'] } | undefined {
  const source = sibling(resource, from);
  const goal = sibling(resource, to);
  if (source === undefined || goal === undefined) return undefined;
  const o = cloneJson(object);
  convertVersion(source, goal, o);
  return { object: o, schema: goal.schema };
}

function sibling(resource: ServedResource, apiVersion: string): ServedResource | undefined {
  if (apiVersion === resource.apiVersion) return resource;
  // Owners in versions of another group, such as those of events, are forgotten, as in kube-apiserver.
  return resource.declaration.served.find((r) => r.apiVersion === apiVersion && r.group === resource.group);
}

export interface TrackedWrite {
  readonly live: JsonObject | undefined;
  readonly object: JsonObject;
  readonly manager: string;
}

/** Updates the managed fields of `object` (in the hub version) for an update by `manager`. */
export function trackUpdate(core: Core, target: RuledTarget, write: TrackedWrite): void {
  finish(trackSteps(core, target, write));
}

/** Sets the managed fields of an object that is not stored: a review, or the body of an action. Its kind may be the subresource's own. */
export function trackUnstored(
  core: Core,
  target: ActionTarget | VirtualTarget,
  { object, manager }: Omit<TrackedWrite, 'live'>,
): Steps<void> {
  const { info, schema } = expectedKind(target);
  const resource = { schema, apiVersion: apiVersionOf(info), kind: info.kind, subresource: target.subresource };
  return managedFieldsSteps({ resource, live: undefined, object, manager, now: core.world.clock.now() });
}

/** `trackUpdate` in steps. Only the last one changes the object. */
export function* trackSteps(core: Core, target: RuledTarget, write: TrackedWrite): Steps<void> {
  const { resource } = target;
  const object = requestedForm(resource, write.object);
  yield;
  const live = write.live === undefined ? undefined : requestedForm(resource, write.live);
  yield;
  const { manager } = write;
  yield* managedFieldsSteps({
    resource: trackedResource(target),
    live,
    object,
    manager,
    now: core.world.clock.now(),
  });
  if (object === write.object) return;
  const entries = metaOf(object)['managedFields'];
  const meta = metaOf(write.object);
  if (entries === undefined) delete meta['managedFields'];
  else meta['managedFields'] = entries;
}
