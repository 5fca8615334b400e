import { type ApiError, cloneJson, errors, FieldErrors, type JsonObject } from '../api/index.js';
import { decodeValue } from '../codec/index.js';
import {
  applyObject,
  entriesAfterScale,
  entriesOfScale,
  managedFieldsOf,
  PatchError,
  type ReplicasPaths,
  type TrackedResource,
  updateManagedFields,
} from '../patch/index.js';
import { decodeObject, expectedKind, patchFailure, patchObject, readApplied, readPatch, unreadable } from './bodies.js';
import type { ServedResource } from './catalogue.js';
import type { Core } from './core.js';
import { limits } from './limits.js';
import { metaOf, text } from './meta.js';
import type { PatchRequest, RequestContext, Target, UpdateRequest, Written } from './requests.js';
import type { SubresourceBehaviour } from './resource.js';
import { checkName, checkUid, placeInNamespace } from './systemfields.js';
import { inServedVersion, trackedResource } from './tracking.js';
import { type Change, insert, modify, settle, strategyOf, type Write } from './write.js';

type View = Extract<SubresourceBehaviour, { readonly kind: 'view' }>;

export function viewOf(target: Target): View | undefined {
  if (target.subresource === '') return undefined;
  const { behaviour } = target.resource.subresources[target.subresource]!;
  return behaviour.kind === 'view' ? behaviour : undefined;
}

/** PATCH in all its forms. */
export async function patch(core: Core, request: PatchRequest, context: RequestContext): Promise<Written> {
  const { target, name, options } = request;
  const write: Write = { target, name, options, context };
  const view = viewOf(target);
  if (view !== undefined) return modify(core, write, viewChange(core, write, view, viewPatch(request, context)));
  return request.type === 'apply' ? apply(core, request, write) : modify(core, write, patchChange(request, write));
}

/** A document that is read when it is first needed: an object that is not there is 404 whatever the patch. */
function lazily<T>(read: () => T): () => T {
  let value: { readonly of: T } | undefined;
  return () => {
    value ??= { of: read() };
    return value.of;
  };
}

function patchChange(request: PatchRequest, write: Write): Change {
  const { target, context } = write;
  const document = lazily(() => readPatch(request));
  return {
    retries: limits.conflictRetries,
    tracked: false,
    absent: undefined,
    make: async (_stored, old, breath) => {
      const live = versionInItsPlace(inServedVersion(target.resource, old));
      const read = document();
      if (breath.due()) await breath.taken();
      const object = patchObject(request, read, { kind: expectedKind(target), live }, context);
      if (breath.due()) await breath.taken();
      placeInNamespace(object, target);
      checkName(object, request.name);
      settle(target, object, context);
      return object;
    },
  };
}

/** The stored text has the resource version first; a patch that fails shows the object, and there it stands after the uid. */
function versionInItsPlace(live: JsonObject): JsonObject {
  const { resourceVersion, ...rest } = metaOf(live);
  const meta: JsonObject = {};
  for (const [key, value] of Object.entries(rest)) {
    meta[key] = value!;
    if (key === 'uid' && resourceVersion !== undefined) meta['resourceVersion'] = resourceVersion;
  }
  if (resourceVersion !== undefined) meta['resourceVersion'] = resourceVersion;
  return { ...live, metadata: meta };
}

async function apply(core: Core, request: PatchRequest, write: Write): Promise<Written> {
  const { target, context, options } = write;
  const { resource } = target;
  const applied = readApplied(request.body);
  const tracked = trackedResource(target, strategyOf(target));
  const merge = (live: JsonObject | undefined): JsonObject => {
    const object = merged(tracked, { live, applied: applied.value, request, now: core.world.clock.now() });
    const decoded = decodeValue(resource.schema, object);
    if (!decoded.ok) throw errors.badRequest(decoded.message);
    const why = unreadable(target, expectedKind(target), decoded.object);
    if (why !== undefined) throw errors.badRequest(why);
    placeInNamespace(decoded.object, target);
    return decoded.object;
  };
  const { strict } = applied;
  if (options.fieldValidation === 'Strict' && strict.errors.length > 0)
    throw errors.badRequest(`error strict decoding YAML: ${strict.errors.join(', ')}`);
  if (options.fieldValidation === 'Warn') for (const w of strict.warnings) context.warn(w);
  return modify(core, write, {
    retries: limits.conflictRetries,
    tracked: true,
    make: (_stored, old) => {
      const object = merge(inServedVersion(resource, old));
      checkName(object, request.name);
      settle(target, object, context);
      return object;
    },
    absent:
      target.subresource === ''
        ? () => {
            const object = merge(undefined);
            checkName(object, request.name);
            const uid = text(metaOf(object), 'uid');
            if (uid !== '') throw noSuchUid(target, request.name, uid);
            return insert(core, write, object, true);
          }
        : undefined,
  });
}

function noSuchUid(target: Target, name: string, uid: string): ApiError {
  return errors.conflict(
    target.resource.groupResource,
    name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}

function merged(
  resource: TrackedResource,
  input: {
    readonly live: JsonObject | undefined;
    readonly applied: JsonObject;
    readonly request: PatchRequest;
    readonly now: number;
  },
): JsonObject {
  const { live, applied, request, now } = input;
  try {
    const manager = request.options.fieldManager;
    const outcome = applyObject({ resource, live, applied, manager, force: request.force, now });
    if (outcome.kind === 'merged') return outcome.object;
    const { causes, message } = outcome.conflict;
    throw errors.applyConflict(causes, message);
  } catch (e) {
    throw e instanceof PatchError ? patchFailure(e) : e;
  }
}

/** PUT of a view (scale). */
export async function updateView(
  core: Core,
  request: UpdateRequest,
  view: View,
  context: RequestContext,
): Promise<Written> {
  const { target, name, options } = request;
  const body = decodeObject(target, request.body, options.fieldValidation, context);
  placeInNamespace(body, target);
  checkName(body, name);
  const write: Write = { target, name, options, context };
  const conditional = !['', '0'].includes(text(metaOf(body), 'resourceVersion'));
  const change = viewChange(core, write, view, { kind: 'update', make: () => cloneJson(body) });
  return modify(core, write, {
    ...change,
    retries: conditional ? 0 : limits.unconditionalRetries,
    make: (stored, old, breath) => {
      checkUid(body, stored.uid(), stored.key, target);
      return change.make(stored, old, breath);
    },
  });
}

/** How the small object that a view shows is changed. */
type ViewEdit =
  | { readonly kind: 'update'; readonly make: (live: JsonObject) => JsonObject }
  | { readonly kind: 'apply'; readonly request: PatchRequest };

function viewPatch(request: PatchRequest, context: RequestContext): ViewEdit {
  if (request.type === 'apply') return { kind: 'apply', request };
  const document = lazily(() => readPatch(request));
  return {
    kind: 'update',
    make: (live) => {
      const object = patchObject(request, document(), { kind: expectedKind(request.target), live }, context);
      placeInNamespace(object, request.target);
      checkName(object, request.name);
      return object;
    },
  };
}

/** A change of the whole object through a view of it: the view is read, changed, owned, and written back. */
function viewChange(core: Core, write: Write, view: View, edit: ViewEdit): Change {
  const { target, options } = write;
  const { info, schema } = expectedKind(target);
  const apiVersion = info.group === '' ? info.version : `${info.group}/${info.version}`;
  const resource: TrackedResource = { schema, apiVersion, kind: info.kind, subresource: target.subresource };
  const paths = replicasPaths(target.resource);
  return {
    retries: limits.conflictRetries,
    tracked: true,
    absent: undefined,
    answer: (whole) => view.read(whole),
    make: (_stored, old) => {
      const whole = cloneJson(old);
      const live = versionInItsPlace(view.read(old));
      const before = managedFieldsOf(old);
      const shown = entriesOfScale(before, paths);
      if (shown !== undefined) metaOf(live)['managedFields'] = shown;
      const now = core.world.clock.now();
      let object: JsonObject;
      if (edit.kind === 'apply') {
        const { value } = readApplied(edit.request.body);
        object = merged(resource, { live, applied: value, request: edit.request, now });
        checkName(object, write.name);
      } else {
        object = edit.make(live);
        updateManagedFields({ resource, live, object, manager: options.fieldManager, now });
      }
      const found = new FieldErrors();
      view.write(whole, object, found);
      if (!found.empty) throw errors.invalid({ group: info.group, kind: info.kind }, write.name, found.list);
      const meta = metaOf(whole);
      const entries = entriesAfterScale(before, managedFieldsOf(object), target.resource.apiVersion, paths);
      if (entries === undefined) delete meta['managedFields'];
      else meta['managedFields'] = entries;
      const version = text(metaOf(object), 'resourceVersion');
      meta['resourceVersion'] = version;
      return whole;
    },
  };
}

/** Every version of a scalable kind keeps its replicas in the same place. */
function replicasPaths(resource: ServedResource): ReplicasPaths {
  const paths: Record<string, readonly string[]> = {};
  for (const { apiVersion } of resource.declaration.served) paths[apiVersion] = ['spec', 'replicas'];
  return paths;
}
