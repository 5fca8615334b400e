import { ApiError, cloneJson, errors, formatTime, type JsonObject, parseTime, type Status } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { encodeStored } from '../codec/index.js';
import { commit, isUnchanged, putOp, valueAnswer, writtenAnswer } from './commit.js';
import { type Core, conflict, find, fresh, notFound } from './core.js';
import { limits } from './limits.js';
import { foregroundFinalizer, metaOf, orphanFinalizer, strings, text } from './meta.js';
import { list } from './read.js';
import type {
  Answer,
  DeleteCollectionRequest,
  Deleted,
  DeleteOptions,
  DeleteRequest,
  ListResult,
  RequestContext,
  Target,
  WriteOptions,
} from './requests.js';
import type { DeletionRules, WriteContext } from './resource.js';
import { writeContext } from './virtual.js';
import { admissionOf, mutate, reserve, validateAdmission } from './write.js';

export const UNSAFE_DELETE_GATE = 'AllowUnsafeMalformedObjectDeletion';

/**
 * DELETE. An object goes at once unless something holds it: its grace period, its finalizers (those that the propagation policy asks
 * for among them), or its kind. Then it is marked, and goes when the last hold does.
 */
export async function remove(core: Core, request: DeleteRequest, context: RequestContext): Promise<Deleted> {
  const { target } = request;
  const { strategy, groupResource } = target.resource;
  const kept = strategy.deletion?.refuse?.(request.name);
  if (kept !== undefined) throw errors.forbidden(groupResource, request.name, kept);
  warnOfDefault(request, context);
  for (let conflicts = 0; conflicts <= limits.unconditionalRetries; conflicts++) {
    const done = await attempt(core, request, context, conflicts > 0);
    if (done !== 'conflict') return done;
  }
  throw conflict(groupResource, request.name);
}

/**
 * Decided against what this peer has, which may be behind: before a refusal, or an answer that changes nothing, is given, it is made
 * current, and the decision made once more if the object turns out to be another. `current`: it is known to be.
 */
async function attempt(
  core: Core,
  request: DeleteRequest,
  context: RequestContext,
  current: boolean,
): Promise<Deleted | 'conflict'> {
  const { target, name } = request;
  const stored = find(core, target, name);
  const moved = async (): Promise<boolean> => {
    if (current) return false;
    await fresh(core, context);
    return find(core, target, name) !== stored;
  };
  try {
    if (stored === undefined) throw notFound(target, name);
    const done = await removeStored(core, request, context, stored);
    if (done === 'conflict') return 'conflict';
    if (!done.changed && (await moved())) return 'conflict';
    return done.deleted;
  } catch (e) {
    if (!(e instanceof ApiError) || e.status.code >= 500 || !(await moved())) throw e;
    return 'conflict';
  }
}

/** What became of the object. `changed` false: nothing was written. */
interface Done {
  readonly deleted: Deleted;
  readonly changed: boolean;
}

async function removeStored(
  core: Core,
  request: DeleteRequest,
  context: RequestContext,
  stored: StoredObject,
): Promise<Done | 'conflict'> {
  const { target, name, options } = request;
  const changed = !options.dryRun;
  const old = readForDeletion(core, stored, options);
  if (old === undefined) return removeUnread(core, target, stored);
  checkPreconditions(target, stored, options);
  const writeOptions: WriteOptions = { dryRun: options.dryRun, fieldManager: '', fieldValidation: 'Ignore' };
  const admitted = admissionOf({ target, name, options: writeOptions, context }, 'delete', undefined, old);
  await mutate(core, admitted);
  await validateAdmission(core, admitted);
  const wanted = writeContext(core, target, context, options.dryRun);
  const step: Step = { core, target, stored, old, wanted, options };
  const marked = mark(step);
  switch (marked.kind) {
    case 'free':
      return finish(step);
    case 'pending':
      return { deleted: stay(step, { kind: 'stored', stored }), changed: false };
    case 'marked': {
      if (options.dryRun) {
        const answer = valueAnswer(target.resource, marked.object);
        return { deleted: marked.stays ? stay(step, answer) : gone(step, answer), changed };
      }
      const written = await write(step, marked.object);
      if (written === 'conflict') return 'conflict';
      if (marked.stays) {
        const answer: Answer = { kind: 'stored', stored: written };
        return { deleted: stay(step, answer), changed: written !== stored };
      }
      return finish({ ...step, stored: written, old: written.parse() });
    }
  }
}

interface Step {
  readonly core: Core;
  readonly target: Target;
  readonly stored: StoredObject;
  readonly old: JsonObject;
  readonly wanted: WriteContext;
  readonly options: DeleteOptions;
}

/** The object, or undefined when it cannot be read and the client wants it gone nevertheless. */
function readForDeletion(core: Core, stored: StoredObject, options: DeleteOptions): JsonObject | undefined {
  try {
    return stored.parse();
  } catch (e) {
    if (options.ignoreStoreReadError && core.featureEnabled(UNSAFE_DELETE_GATE)) return undefined;
    throw errors.storeRead(`the stored object cannot be read: ${e instanceof Error ? e.message : String(e)}`);
  }
}

async function removeUnread(core: Core, target: Target, stored: StoredObject): Promise<Done | 'conflict'> {
  const { key, revision } = stored;
  const result = await commit(core, [{ key, modRevision: revision }], [{ kind: 'delete', key }]);
  if (result.kind === 'conflict') return 'conflict';
  return { deleted: { kind: 'deleted', status: success(target, stored.name, '') }, changed: true };
}

export function checkPreconditions(
  target: Target,
  stored: StoredObject,
  { preconditions }: Pick<DeleteOptions, 'preconditions'>,
): void {
  if (preconditions === undefined) return;
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== stored.uid())
    throw unmet(target, stored, {
      field: 'UID',
      wanted: uid,
      found: stored.uid(),
      maybe: 'The object might have been deleted and then recreated',
    });
  if (resourceVersion !== undefined && resourceVersion !== String(stored.revision))
    throw unmet(target, stored, {
      field: 'ResourceVersion',
      wanted: resourceVersion,
      found: String(stored.revision),
      maybe: 'The object might have been modified',
    });
}

interface Unmet {
  readonly field: 'UID' | 'ResourceVersion';
  readonly wanted: string;
  readonly found: string;
  readonly maybe: string;
}

/** Told of the kind, as the reference does, save for kinds that it looks at before its store does. */
function unmet({ resource }: Target, { name }: StoredObject, { field, wanted, found, maybe }: Unmet): ApiError {
  if (resource.strategy.compatibility?.plainPreconditions === true)
    return errors.conflict(
      resource.groupResource,
      name,
      `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`,
    );
  return errors.conflict(
    { group: resource.group, resource: resource.kind },
    name,
    `the ${field} in the precondition (${wanted}) does not match the ${field} in record (${found}). ${maybe}`,
  );
}

type Mark =
  /** Nothing holds it and nothing needs to be said before it goes. */
  | { readonly kind: 'free' }
  /** Its deletion is under way and this request does not shorten it. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'marked'; readonly object: JsonObject; readonly stays: boolean };

function mark(step: Step): Mark {
  const { target, old, options, wanted } = step;
  const { strategy } = target.resource;
  const o = cloneJson(old);
  const meta = metaOf(o);
  const graceful = shorten(step, o);
  if (graceful === 'pending') return { kind: 'pending' };
  const finalizers = finalizersAfter(strings(meta, 'finalizers'), options, strategy.deletion?.propagation);
  if (finalizers.length > 0) meta['finalizers'] = [...finalizers];
  else delete meta['finalizers'];
  const held = finalizers.length > 0 || strategy.deletion?.blocked?.(o) === true;
  if (graceful !== undefined) return { kind: 'marked', object: o, stays: held || graceful > 0 };
  if (!held) return { kind: 'free' };
  markAsDeleting(meta, step);
  strategy.deletion?.mark?.(o, wanted);
  return { kind: 'marked', object: o, stays: true };
}

/**
 * The grace of a kind that has one: seconds, 'pending' when a deletion under way is not shortened, undefined for other kinds. The
 * grace of a deletion under way can only be made shorter.
 */
function shorten({ core, target, options, wanted }: Step, o: JsonObject): number | 'pending' | undefined {
  const gracePeriod = target.resource.strategy.deletion?.gracePeriod;
  if (gracePeriod === undefined) return undefined;
  const meta = metaOf(o);
  const since = text(meta, 'deletionTimestamp');
  const now = core.world.clock.now();
  if (since !== '') {
    const before = meta['deletionGracePeriodSeconds'];
    // Its grace is over: what a crash kept from going after it was marked goes now.
    if (typeof before !== 'number' || before === 0) return undefined;
    const wish = options.gracePeriodSeconds;
    if (wish === undefined || wish >= before) return 'pending';
    meta['deletionTimestamp'] = formatTime((parseTime(since) ?? now) + (wish - before) * 1000);
    meta['deletionGracePeriodSeconds'] = wish;
    return wish;
  }
  const seconds = gracePeriod(o, options.gracePeriodSeconds, wanted);
  if (seconds === undefined) return undefined;
  meta['deletionTimestamp'] = formatTime(now + seconds * 1000);
  meta['deletionGracePeriodSeconds'] = seconds;
  raise(meta);
  return seconds;
}

function markAsDeleting(meta: JsonObject, { core }: Step): void {
  const since = parseTime(text(meta, 'deletionTimestamp'));
  const now = core.world.clock.now();
  if (since === undefined) raise(meta);
  if (since === undefined || since > now) meta['deletionTimestamp'] = formatTime(now);
  meta['deletionGracePeriodSeconds'] = 0;
}

/** Being deleted is a change of what is wanted, for kinds that count those. */
function raise(meta: JsonObject): void {
  const generation = meta['generation'];
  if (typeof generation === 'number' && generation > 0) meta['generation'] = generation + 1;
}

/** What the propagation policy makes of the finalizers: one of its two is added, the other one taken away. */
export function finalizersAfter(
  given: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
  fallback: DeletionRules['propagation'],
): readonly string[] {
  let orphan = fallback === 'Orphan';
  let foreground = false;
  if (fallback === 'Unsupported') orphan = false;
  else if (orphanDependents !== undefined) orphan = orphanDependents;
  else if (propagationPolicy !== undefined) {
    orphan = propagationPolicy === 'Orphan';
    foreground = propagationPolicy === 'Foreground';
  } else {
    const own = given.find((f) => f === orphanFinalizer || f === foregroundFinalizer);
    if (own !== undefined) {
      orphan = own === orphanFinalizer;
      foreground = !orphan;
    }
  }
  const others = given.filter((f) => f !== orphanFinalizer && f !== foregroundFinalizer);
  const after = [...others, ...(orphan ? [orphanFinalizer] : []), ...(foreground ? [foregroundFinalizer] : [])];
  const same = after.length === given.length && after.every((f) => given.includes(f));
  return same ? given : after;
}

/** The object as it stands then: the same one when there was nothing to write. */
async function write(step: Step, o: JsonObject): Promise<StoredObject | 'conflict'> {
  const { core, target, stored } = step;
  const { resource } = target;
  const { key, revision, createRevision } = stored;
  const value = encodeStored(resource.storage.schema, o);
  if (isUnchanged(stored, value)) return stored;
  const result = await commit(core, [{ key, modRevision: revision }], [putOp(core, resource, key, value)]);
  if (result.kind === 'conflict') return 'conflict';
  const answer = writtenAnswer(core, resource, { key, value, at: result.revision, createRevision });
  return answer.kind === 'stored' ? answer.stored : 'conflict';
}

/** Takes the object away, and what was reserved for it with it. */
async function finish(step: Step): Promise<Done | 'conflict'> {
  const { core, target, stored, old, wanted, options } = step;
  const { key, revision } = stored;
  if (!options.dryRun) {
    const released = await reserve(core, target.resource.strategy, { object: undefined, old }, wanted);
    const compares = [{ key, modRevision: revision }, ...released.compares];
    const result = await commit(core, compares, [{ kind: 'delete', key }, ...released.ops]);
    if (result.kind === 'conflict') return 'conflict';
  }
  return { deleted: gone(step, { kind: 'stored', stored }), changed: !options.dryRun };
}

function gone({ target, stored }: Step, object: Answer): Deleted {
  if (target.resource.strategy.deletion?.returnsObject === true) return { kind: 'deletedObject', object };
  return { kind: 'deleted', status: success(target, stored.name, stored.uid()) };
}

function stay({ options }: Step, object: Answer): Deleted {
  return { kind: 'deleting', accepted: options.orphanDependents === false, object };
}

function success({ resource }: Target, name: string, uid: string): Status {
  const { group, resource: plural } = resource.groupResource;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(group === '' ? {} : { group }),
      kind: plural,
      ...(uid === '' ? {} : { uid }),
    },
  };
}

/** What becomes of dependents when nothing is said of them surprises with some kinds. */
function warnOfDefault({ target, options }: Pick<DeleteRequest, 'target' | 'options'>, context: RequestContext): void {
  const warning = target.resource.strategy.deletion?.propagationWarning;
  const unsaid = options.propagationPolicy === undefined && options.orphanDependents === undefined;
  if (unsaid && warning !== undefined) context.warn(warning);
}

/** DELETE of a collection: what the list selects, some at a time. What has gone by then is no failure. */
export async function removeCollection(
  core: Core,
  request: DeleteCollectionRequest,
  context: RequestContext,
): Promise<ListResult> {
  const { target, options } = request;
  warnOfDefault(request, context);
  const result = await list(core, { target, options: request.list }, context);
  const queue = result.items.values();
  const quiet: RequestContext = {
    user: context.user,
    userAgent: context.userAgent,
    deadline: context.deadline,
    warn: () => {},
  };
  let failure: unknown;
  const work = async (): Promise<void> => {
    for (const o of queue) {
      if (failure !== undefined) return;
      try {
        await remove(core, { target: { ...target, namespace: o.namespace }, name: o.name, options }, quiet);
      } catch (e) {
        if (!(e instanceof ApiError && e.status.code === 404)) failure ??= e;
      }
    }
  };
  await Promise.all(Array.from({ length: limits.deleteCollectionParallel }, work));
  if (failure !== undefined) throw failure;
  return result;
}
