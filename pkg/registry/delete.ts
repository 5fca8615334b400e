import { ApiError, cloneJson, errors, formatTime, type JsonObject, parseTime, type Status } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { encodeStored } from '../codec/index.js';
import { Admitted } from './admission.js';
import { isUnchanged, putOp, valueAnswer, writtenAnswer } from './commit.js';
import { answerInVersion, listInVersion } from './conversion.js';
import { type Core, notFound } from './core.js';
import { deletedForm } from './hub.js';
import { limits } from './limits.js';
import { foregroundFinalizer, metaOf, orphanFinalizer, strings, text } from './meta.js';
import { type Decision, optimisticUpdate } from './optimistic.js';
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
} from './requests.js';
import type { DeletionRules, Strategy, WriteContext } from './resource.js';
import { objectTarget } from './target.js';
import { refuseLost, unreadableForRead } from './unreadable.js';
import { decodeForDeletion, isUnsafe, removeUnsafely } from './unsafedelete.js';
import { writeContext } from './virtual.js';
import { allocate } from './write.js';

/**
 * DELETE. An object is removed at once unless its grace period, its finalizers (with those that the propagation policy adds) or a rule of
 * its kind prevent that. The object is then marked as deleted, and removed as soon as nothing prevents it.
 */
export async function remove(core: Core, request: DeleteRequest, context: RequestContext): Promise<Deleted> {
  const { target } = request;
  const { strategy, groupResource } = target.resource;
  const refused = strategy.deletion?.refuse?.(target.name);
  if (refused !== undefined) throw errors.forbidden(groupResource, target.name, refused);
  if (isUnsafe(core, request.options)) return removeUnsafely(core, request, context);
  warnOfDefault(request, context);
  const retries = limits.unconditionalRetries;
  let marked: StoredObject | undefined;
  for (;;) {
    const seen = marked;
    const outcome = await optimisticUpdate<Outcome>(
      core,
      { target, context, retries, failure: unreadableForRead },
      (stored) => decide(core, request, context, { stored, marked: seen }),
    );
    if (outcome.kind === 'finished') return outcome.deleted;
    marked = outcome.marked;
  }
}

type Outcome =
  | { readonly kind: 'finished'; readonly deleted: Deleted }
  /** The object is marked and nothing prevents its removal. */
  | { readonly kind: 'marked'; readonly marked: StoredObject };

/** `marked`: the state that this request has already marked; it passed admission and the preconditions. */
async function decide(
  core: Core,
  { target, options, partOfAction }: DeleteRequest,
  context: RequestContext,
  { stored, marked }: { readonly stored: StoredObject | undefined; readonly marked: StoredObject | undefined },
): Promise<Decision<Outcome>> {
  // Who sees the mark may remove the object first, as a kubelet does. The request has then reached its goal.
  if (marked !== undefined && stored?.uid() !== marked.uid())
    return { kind: 'answer', value: finished(gone({ target, stored: marked }, { kind: 'stored', stored: marked })) };
  if (stored === undefined) throw notFound(target);
  refuseLost(core, stored);
  const old = decodeForDeletion(stored);
  const { dryRun } = options;
  const wanted = writeContext(core, target, context, dryRun);
  const step: Step = { core, target, stored, old, wanted, options };
  if (stored === marked) return finish(step);
  checkPreconditions(target, stored, options);
  const shown = deletedForm(target.resource, old);
  const admitted = new Admitted(core, {
    target,
    operation: 'delete',
    context,
    dryRun,
    options,
    object: undefined,
    old: shown,
    partOfAction,
  });
  await admitted.mutate();
  await admitted.validate();
  const added = await admitted.transact();
  const decision = await proposal(step, mark(step));
  if (decision.kind !== 'propose') {
    added.settled();
    return decision;
  }
  const { txn, committed } = decision;
  const compares = [...txn.compares, ...added.compares];
  return { kind: 'propose', txn: { compares, ops: [...txn.ops, ...added.ops] }, committed, settled: added.settled };
}

async function proposal(step: Step, marking: Mark): Promise<Decision<Outcome>> {
  const { core, target, stored, options } = step;
  switch (marking.kind) {
    case 'free':
      return finish(step);
    case 'pending':
      return { kind: 'answer', value: finished(pendingDeletion(step, { kind: 'stored', stored })) };
    case 'marked': {
      const { object, stays } = marking;
      const { resource } = target;
      if (options.dryRun) {
        const answer = valueAnswer(resource, object);
        return { kind: 'answer', value: finished(stays ? pendingDeletion(step, answer) : gone(step, answer)) };
      }
      const { key, createRevision } = stored;
      const value = encodeStored(resource.storage.type.schema, object);
      if (isUnchanged(stored, value))
        return stays
          ? { kind: 'answer', value: finished(pendingDeletion(step, { kind: 'stored', stored })) }
          : finish(step);
      return {
        kind: 'propose',
        txn: { compares: [{ key, modRevision: stored.revision }], ops: [putOp(core, resource, key, value)] },
        committed: (at) => {
          const written = writtenAnswer(core, resource, { key, value, at, createRevision });
          return stays ? finished(pendingDeletion(step, written)) : { kind: 'marked', marked: written.stored };
        },
      };
    }
  }
}

const finished = (deleted: Deleted): Outcome => ({ kind: 'finished', deleted });

interface Step {
  readonly core: Core;
  readonly target: Target;
  readonly stored: StoredObject;
  readonly old: JsonObject;
  readonly wanted: WriteContext;
  readonly options: DeleteOptions;
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

/**
 * The error names the kind, as in kube-apiserver; for kinds that kube-apiserver checks before its store, it names the
 * resource.
 */
function unmet({ resource }: Target, { name }: StoredObject, { field, wanted, found, maybe }: Unmet): ApiError {
  const plain = resource.strategy.compatibility?.plainPreconditions;
  if (plain !== undefined)
    return errors.conflict(
      resource.groupResource,
      name,
      `${plain}: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`,
    );
  return errors.conflict(
    { group: resource.declaration.group, resource: resource.kind },
    name,
    `the ${field} in the precondition (${wanted}) does not match the ${field} in record (${found}). ${maybe}`,
  );
}

type Mark =
  /** Nothing prevents the removal of the object. */
  | { readonly kind: 'free' }
  /** Its deletion is pending and this request does not shorten the grace period. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'marked'; readonly object: JsonObject; readonly stays: boolean };

function mark(step: Step): Mark {
  const { target, old, options, wanted } = step;
  const { strategy } = target.resource;
  if (isMarkedOnce(strategy, old)) return { kind: 'pending' };
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

function isMarkedOnce({ deletion }: Strategy, o: JsonObject): boolean {
  return deletion?.marksOnce === true && text(metaOf(o), 'deletionTimestamp') !== '' && deletion.blocked?.(o) === true;
}

/**
 * The grace period in seconds of a kind that has one; 'pending' when a deletion is pending and is not shortened; undefined for other
 * kinds. A pending grace period can only be shortened.
 */
function shorten({ core, target, options, wanted }: Step, o: JsonObject): number | 'pending' | undefined {
  const gracePeriod = target.resource.strategy.deletion?.gracePeriod;
  if (gracePeriod === undefined) return undefined;
  const meta = metaOf(o);
  const since = text(meta, 'deletionTimestamp');
  const now = core.world.clock.now();
  if (since !== '') {
    const before = meta['deletionGracePeriodSeconds'];
    // The grace period is over. The object was marked, and a crash prevented its removal.
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

function markAsDeleting(meta: JsonObject, { core, target }: Step): void {
  const plain = target.resource.strategy.compatibility?.plainDeletion === true;
  const since = parseTime(text(meta, 'deletionTimestamp'));
  const now = core.world.clock.now();
  if (since === undefined && !plain) raise(meta);
  if (since === undefined || since > now) meta['deletionTimestamp'] = formatTime(now);
  if (!plain) meta['deletionGracePeriodSeconds'] = 0;
}

/** A deletion raises the generation of kinds that have one. */
function raise(meta: JsonObject): void {
  const generation = meta['generation'];
  if (typeof generation === 'number' && generation > 0) meta['generation'] = generation + 1;
}

/** Returns the finalizers under a propagation policy: the finalizer of the policy is added, that of the other policy removed. */
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

/** Removes the object and releases its allocations. */
async function finish(step: Step): Promise<Decision<Outcome>> {
  const { core, target, stored, old, wanted, options } = step;
  const { key, revision } = stored;
  const done = finished(gone(step, { kind: 'stored', stored }));
  if (options.dryRun) return { kind: 'answer', value: done };
  const released = await allocate(core, target.resource.strategy, { object: undefined, old }, wanted);
  return {
    kind: 'propose',
    txn: {
      compares: [{ key, modRevision: revision }, ...released.compares],
      ops: [{ kind: 'delete', key }, ...released.ops],
    },
    committed: () => done,
  };
}

function gone({ target, stored }: Pick<Step, 'target' | 'stored'>, object: Answer): Deleted {
  const { strategy, version } = target.resource;
  const returned = strategy.deletion?.returnsObject;
  if (typeof returned === 'function' ? returned(version) : returned) return { kind: 'deletedObject', object };
  return { kind: 'deleted', status: success(target, stored.name, stored.uid()) };
}

function pendingDeletion({ options }: Step, object: Answer): Deleted {
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

/** The answer of a deletion in the version of the request. A deletion that was committed is not reported as a failure: a Status replaces an object that cannot be converted. */
export async function deletedInVersion(target: Target, deleted: Deleted): Promise<Deleted> {
  if (deleted.kind === 'deleted') return deleted;
  try {
    return { ...deleted, object: await answerInVersion(target.resource, deleted.object) };
  } catch (e) {
    if (!(e instanceof ApiError)) throw e;
    const { object } = deleted;
    const meta = metaOf(object.kind === 'stored' ? object.stored.value() : object.value);
    return { kind: 'deleted', status: success(target, text(meta, 'name'), text(meta, 'uid')) };
  }
}

/** Warns if a request relies on a default propagation policy that users may not expect. */
function warnOfDefault({ target, options }: Pick<DeleteRequest, 'target' | 'options'>, context: RequestContext): void {
  const warning = target.resource.strategy.deletion?.propagationWarning;
  const unsaid = options.propagationPolicy === undefined && options.orphanDependents === undefined;
  if (unsaid && warning !== undefined) context.warn(warning);
}

/** DELETE of a collection: deletes the listed objects, a few at a time. An object that is deleted concurrently is not an error. */
export async function removeCollection(
  core: Core,
  request: DeleteCollectionRequest,
  context: RequestContext,
): Promise<ListResult> {
  const { target, options } = request;
  warnOfDefault(request, context);
  const found = await list(core, { target, options: request.list }, context);
  await request.confirm?.();
  const confirmed = request.confirm !== undefined;
  // A client gets the objects, so nothing is deleted if they cannot be converted. Controllers do not need them, and are not held up.
  const result = confirmed ? found : await listInVersion(target.resource, found);
  const queue = found.items.values();
  const quiet: RequestContext = {
    user: context.user,
    userAgent: context.userAgent,
    deadline: context.deadline,
    get signal() {
      return context.signal;
    },
    warn: () => {},
    annotate: (...annotation) => context.annotate(...annotation),
    took: (...time) => context.took?.(...time),
    ofCollection: true,
  };
  let failure: unknown;
  const work = async (): Promise<void> => {
    for (const o of queue) {
      if (failure !== undefined) return;
      try {
        const exactly = confirmed ? { ...options, preconditions: { uid: o.uid() } } : options;
        await remove(core, { target: objectTarget(target.resource, o.namespace, o.name), options: exactly }, quiet);
      } catch (e) {
        // With a precondition, 409 means that another object has the name.
        const isGone = e instanceof ApiError && (e.status.code === 404 || (confirmed && e.status.code === 409));
        if (!isGone) failure ??= e;
      }
    }
  };
  await Promise.all(Array.from({ length: limits.deleteCollectionParallel }, work));
  if (failure !== undefined) throw failure;
  return result;
}
