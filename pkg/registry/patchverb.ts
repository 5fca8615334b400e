import { type ApiError, apiVersionOf, cloneJson, errors, FieldErrors, type JsonObject } from '../api/index.js';
import { finish, type Slice, type Steps } from '../base/index.js';
import { decodeAsSteps } from '../codec/index.js';
import {
  type Applied,
  applySteps,
  entriesAfterScale,
  entriesOfScale,
  managedFieldsOf,
  PatchError,
  type ReplicasPaths,
  type TrackedResource,
  updateManagedFields,
} from '../patch/index.js';
import { isCustom } from '../schema/index.js';
import {
  decodeObject,
  expectedKind,
  type PatchDocument,
  patchFailure,
  patchObject,
  readApplied,
  readPatch,
  unreadable,
} from './bodies.js';
import { type Core, sliceOf, turnFor } from './core.js';
import { requestedForm } from './hub.js';
import { limits } from './limits.js';
import { metaOf, text } from './meta.js';
import type {
  ObjectTarget,
  PatchRequest,
  RequestContext,
  ScaleTarget,
  Target,
  UpdateRequest,
  Written,
} from './requests.js';
import type { ServedResource } from './servedresources.js';
import { refuseLongLists } from './size.js';
import { checkName, checkUid, dropDuplicateOwners, placeInNamespace } from './systemfields.js';
import { trackedResource } from './tracking.js';
import { modify, type ObjectEdit } from './update.js';
import { insert, settle, type Write } from './write.js';

/** PATCH in all its forms. */
export async function patch(core: Core, request: PatchRequest, context: RequestContext): Promise<Written> {
  const { target, options } = request;
  await turnFor(core, request.body);
  switch (target.kind) {
    case 'scale':
      return patchScale(core, request, { target, options, context });
    case 'object':
    case 'status': {
      const write: Write<ObjectTarget> = { target, options, context };
      if (request.type === 'apply') return apply(core, request, write);
      const document = await sliceOf(core, context).run(readPatch(request));
      return modify(core, write, patchEdit(core, request, write, document));
    }
    case 'collection':
    case 'action':
    case 'virtual':
    case 'connection':
      throw errors.methodNotAllowed();
  }
}

function patchEdit(core: Core, request: PatchRequest, write: Write, document: () => PatchDocument): ObjectEdit {
  const { target, context } = write;
  return {
    retries: limits.conflictRetries,
    tracked: false,
    make: async (stored, old, slice) => {
      const live = requestedForm(target.resource, old);
      const read = document();
      if (slice.spent()) await slice.yield();
      const patched = { kind: expectedKind(target), live, liveBytes: stored.length };
      const object = await slice.run(patchObject(request, read, patched, context));
      placeInNamespace(object, target);
      checkName(object, target.name);
      await slice.run(dropDuplicateOwners(object, context, true));
      await slice.run(settle(core, write, object));
      return object;
    },
  };
}

async function apply(core: Core, request: PatchRequest, write: Write<ObjectTarget>): Promise<Written> {
  const { target, context, options } = write;
  const { resource } = target;
  const slice = sliceOf(core, context);
  const applied = await slice.run(readApplied(request.body));
  const tracked = trackedResource(target);
  const { strict } = applied;
  const merge = async (live: JsonObject | undefined, slice: Slice): Promise<Merged> => {
    const input = { live, applied: applied.value, request, now: core.world.clock.now() };
    const { object, changed } = await slice.run(merged(tracked, input));
    // Errors of the merge come first, as in kube-apiserver.
    if (options.fieldValidation === 'Strict' && strict.errors.length > 0)
      throw errors.badRequest(`error strict decoding patch: ${strict.errors.join(', ')}`);
    if (options.fieldValidation === 'Warn') for (const w of strict.warnings) context.warn(w);
    const decoded = await slice.run(decodeAsSteps(resource.type, object));
    if (!decoded.ok) throw errors.badRequest(decoded.message);
    // The items of the result come from two objects, so no length of a body bounds them.
    await slice.run(refuseLongLists(target, decoded.object, Infinity));
    const why = unreadable(target, expectedKind(target), decoded.object);
    if (why !== undefined) throw errors.badRequest(why);
    placeInNamespace(decoded.object, target);
    await slice.run(dropDuplicateOwners(decoded.object, context, true));
    return { object: decoded.object, changed };
  };
  return modify(core, write, {
    retries: limits.conflictRetries,
    tracked: true,
    make: async (_stored, old, slice) => {
      const { object, changed } = await merge(requestedForm(resource, old), slice);
      checkName(object, target.name);
      // kube-apiserver gives no defaults to an object that an apply leaves as it is, and the hub version is the one of the request.
      if (changed || !isCustom(resource.type)) await slice.run(settle(core, write, object, true));
      return object;
    },
    create:
      target.kind === 'object'
        ? async () => {
            const { object } = await merge(undefined, sliceOf(core, context));
            checkName(object, target.name);
            const uid = text(metaOf(object), 'uid');
            if (uid !== '') throw noSuchUid(target, uid);
            return insert(core, write, object, true);
          }
        : undefined,
  });
}

function noSuchUid({ resource, name }: Target, uid: string): ApiError {
  return errors.conflict(
    resource.groupResource,
    name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}

type Merged = Pick<Extract<Applied, { kind: 'merged' }>, 'object' | 'changed'>;

function* merged(
  resource: TrackedResource,
  input: {
    readonly live: JsonObject | undefined;
    readonly applied: JsonObject;
    readonly request: PatchRequest;
    readonly now: number;
  },
): Steps<Merged> {
  const { live, applied, request, now } = input;
  try {
    const manager = request.options.fieldManager;
    const outcome = yield* applySteps({ resource, live, applied, manager, force: request.force, now });
    if (outcome.kind === 'merged') return outcome;
    const { causes, message } = outcome.conflict;
    throw errors.applyConflict(causes, message);
  } catch (e) {
    throw e instanceof PatchError ? patchFailure(e) : e;
  }
}

/** PUT of scale. */
export async function updateScale(
  core: Core,
  request: UpdateRequest & { readonly target: ScaleTarget },
  context: RequestContext,
): Promise<Written> {
  const { target, options } = request;
  const body = finish(decodeObject(target, request.body, options.fieldValidation, context, core.world.clock.now()));
  placeInNamespace(body, target);
  checkName(body, target.name);
  const write: Write<ScaleTarget> = { target, options, context };
  const conditional = !['', '0'].includes(text(metaOf(body), 'resourceVersion'));
  const edit = scaleEdit(core, write, { kind: 'update', make: () => cloneJson(body) });
  return modify(core, write, {
    ...edit,
    retries: conditional ? 0 : limits.unconditionalRetries,
    make: (stored, old, slice) => {
      checkUid(body, { key: stored.key, uid: stored.uid(), dryRun: options.dryRun }, target);
      return edit.make(stored, old, slice);
    },
  });
}

/** A change of a Scale. */
type ScaleChange =
  | { readonly kind: 'update'; readonly make: (live: JsonObject) => JsonObject }
  | { readonly kind: 'apply'; readonly request: PatchRequest };

async function patchScale(core: Core, request: PatchRequest, write: Write<ScaleTarget>): Promise<Written> {
  if (request.type === 'apply') return modify(core, write, scaleEdit(core, write, { kind: 'apply', request }));
  const { target, context } = write;
  const document = await sliceOf(core, context).run(readPatch(request));
  const make = (live: JsonObject): JsonObject => {
    const patched = { kind: expectedKind(target), live, liveBytes: Infinity };
    const object = finish(patchObject(request, document(), patched, context));
    placeInNamespace(object, target);
    checkName(object, target.name);
    checkScaleUid(live, object, target);
    return object;
  };
  return modify(core, write, scaleEdit(core, write, { kind: 'update', make }));
}

/** Refuses a patched Scale with another uid. kube-apiserver names the subresource here. */
function checkScaleUid(live: JsonObject, patched: JsonObject, { resource }: ScaleTarget): void {
  const [uid, given] = [live, patched].map((o) => text(metaOf(o), 'uid'));
  if (given === '' || given === uid) return;
  const { group, resource: plural } = resource.groupResource;
  throw errors.conflict(
    { group, resource: `${plural}/scale` },
    text(metaOf(live), 'name'),
    `Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`,
  );
}

/** Changes an object through its Scale, which is read, changed, tracked and written back. */
function scaleEdit(core: Core, { target, options }: Write<ScaleTarget>, change: ScaleChange): ObjectEdit {
  const { info, schema } = expectedKind(target);
  const apiVersion = apiVersionOf(info);
  const resource: TrackedResource = { schema, apiVersion, kind: info.kind, subresource: target.subresource };
  const paths = replicasPaths(target.resource);
  const { scale } = target;
  return {
    retries: limits.conflictRetries,
    tracked: true,
    make: (_stored, old) => {
      const live = scale.read(old, 'base');
      const shown = entriesOfScale(managedFieldsOf(old), paths);
      if (shown !== undefined) metaOf(live)['managedFields'] = shown;
      const now = core.world.clock.now();
      if (change.kind === 'apply') {
        const { value } = finish(readApplied(change.request.body));
        const { object } = finish(merged(resource, { live, applied: value, request: change.request, now }));
        placeInNamespace(object, target);
        checkName(object, target.name);
        checkScaleUid(live, object, target);
        return object;
      }
      const object = change.make(live);
      updateManagedFields({ resource, live, object, manager: options.fieldManager, now });
      return object;
    },
    scale: {
      read: scale.read,
      write: (old, object) => {
        const whole = cloneJson(old);
        const found = new FieldErrors();
        scale.write(whole, object, found);
        if (!found.empty) throw errors.invalid({ group: info.group, kind: info.kind }, target.name, found.list);
        const meta = metaOf(whole);
        const before = managedFieldsOf(old);
        const entries = entriesAfterScale(before, managedFieldsOf(object), target.resource.apiVersion, paths);
        if (entries === undefined) delete meta['managedFields'];
        else meta['managedFields'] = entries;
        meta['resourceVersion'] = text(metaOf(object), 'resourceVersion');
        return whole;
      },
    },
  };
}

/** Returns the path of the replicas in each version of a scalable kind. */
function replicasPaths(resource: ServedResource): ReplicasPaths {
  const paths: Record<string, readonly string[]> = {};
  for (const { apiVersion, subresources } of resource.declaration.served) {
    const behaviour = subresources['scale']?.behaviour;
    if (behaviour?.kind === 'scale') paths[apiVersion] = behaviour.replicasPath;
  }
  return paths;
}
