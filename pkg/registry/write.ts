import { type ApiError, cloneJson, errors, FieldErrors, type JsonObject } from '../api/index.js';
import { type Revision, revision, type Slice, type Steps } from '../base/index.js';
import { storedSteps } from '../codec/index.js';
import { dropDisabledFields } from '../schema/index.js';
import { Admitted } from './admission.js';
import { decodeObject } from './bodies.js';
import { namespaceState } from './builtin/core/namespacelifecycle.js';
import { commit, putOp, readerOf, valueAnswer, writing, writtenAnswer } from './commit.js';
import { converting } from './conversion.js';
import { type Core, collectionOf, exists, fresh, keyOf, sliceOf, turnFor } from './core.js';
import { addDeclarative, finishChecks, inTurns, refuse } from './fielderrors.js';
import { hubOf, hubSteps, storedForm } from './hub.js';
import { limits } from './limits.js';
import { metaOf, text } from './meta.js';
import { contended } from './optimistic.js';
import type { CreateRequest, RequestContext, RuledTarget, Target, WriteOptions, Written } from './requests.js';
import type { Change, Strategy, TxnPart, WriteContext } from './resource.js';
import {
  checkUnversioned,
  checkVersionText,
  clearSystemFields,
  dropDuplicateOwners,
  fillSystemFields,
  firstGeneration,
  generatedName,
  generateNameErrors,
  newMetaErrors,
  placeInNamespace,
  validateNewMeta,
} from './systemfields.js';
import { trackSteps, trackUnstored } from './tracking.js';
import { runVirtual, writeContext } from './virtual.js';

/*
 * The order of a write, the same for every kind:
 *
 *   body -> name, namespace and version agree with the request -> system fields -> defaults -> hub version
 *        -> managed fields -> mutating admission -> generation, feature gates, prepare -> allocation -> validation, all
 *        errors at once -> warnings -> validating admission -> admission's additions to the transaction -> storage version -> encode
 *        -> one transaction -> response from the cache
 *
 * Every client error is refused before the transaction. The transaction only checks that the state on which the
 * decision is based has not changed. This file creates objects, `update.ts` changes them.
 */

/** One write of one object. */
export interface Write<T extends Target = RuledTarget> {
  readonly target: T;
  readonly options: WriteOptions;
  readonly context: RequestContext;
}

/** POST. */
export async function create(core: Core, request: CreateRequest, context: RequestContext): Promise<Written> {
  const { target, options } = request;
  await turnFor(core, request.body);
  const slice = sliceOf(core, context);
  const object = await slice.run(
    decodeObject(target, request.body, options.fieldValidation, context, core.world.clock.now()),
  );
  switch (target.kind) {
    case 'collection':
      placeInNamespace(object, target);
      return insert(core, { target, options, context }, object, false);
    case 'action':
    case 'virtual': {
      if (target.resource.namespaced || target.kind === 'virtual') placeInNamespace(object, target);
      if (target.kind === 'virtual') clearSystemFields(object);
      if (target.kind === 'action') target.defaults?.(object);
      const { dryRun, fieldManager: manager } = options;
      await slice.run(trackUnstored(core, target, { object, manager }));
      const admitted = new Admitted(core, {
        target,
        operation: 'create',
        context,
        dryRun,
        options,
        object,
        old: undefined,
      });
      const body = await admitted.mutate();
      await admitted.validate();
      const value = await runVirtual(core, target, { verb: 'create', body: body ?? object, dryRun }, context);
      return { outcome: 'created', object: { kind: 'value', value } };
    }
    case 'object':
    case 'status':
    case 'scale':
    case 'connection':
      throw errors.methodNotAllowed();
  }
}

/** Applies defaults in the version of the body, and converts the object to the hub version. `merged`: the object is the result of an apply. */
export function* settle(
  core: Core,
  { target, context }: Write<Target>,
  object: JsonObject,
  merged = false,
): Steps<void> {
  yield* dropDuplicateOwners(object, context);
  yield;
  yield* hubSteps(target.resource, object, { merged, now: core.world.clock.now() });
}

/**
 * Creates an object from a decoded body. `tracked`: the managed fields are up to date (server-side apply). The target is the
 * collection, or the object for a PUT or an apply that creates.
 */
export async function insert(core: Core, write: Write, object: JsonObject, tracked: boolean): Promise<Written> {
  const { target, options, context } = write;
  const { dryRun } = options;
  const { strategy } = target.resource;
  const slice = sliceOf(core, context);
  strategy.create?.allow?.(object);
  const given = takeVersion(object);
  clearSystemFields(object);
  const { resource } = target;
  await converting(resource, () => slice.run(settle(core, write, object, tracked)));
  const { fieldManager: manager } = options;
  if (!tracked) {
    const write = { live: undefined, object, manager };
    await converting(resource, () => slice.run(trackSteps(core, target, write)));
  }
  const admitted = new Admitted(core, {
    target,
    operation: 'create',
    context,
    dryRun,
    options,
    object,
    old: undefined,
  });
  const made = (await admitted.mutate()) ?? object;
  const version = takeVersion(made) || given;
  if (target.kind !== 'collection') checkVersionText(version);
  fillSystemFields(made, core.world);
  const generate = text(metaOf(made), 'name') === '' ? text(metaOf(made), 'generateName') : '';
  const wanted = { ...writeContext(core, target, context, dryRun), namedByServer: generate !== '' };
  // Prepare is idempotent, so only a generated name and an allocation need a fresh copy for each attempt.
  const copied = generate !== '' || strategy.storage?.allocate !== undefined;
  for (let names = 1, contentions = 0; ; ) {
    const o = copied ? cloneJson(made) : made;
    if (generate !== '')
      metaOf(o)['name'] = strategy.create?.keepsGenerateName ? generate : generatedName(generate, core.world);
    const allocated = await prepareNew(core, target, o, wanted, slice);
    if (slice.spent()) await slice.yield();
    if (names === 1 && contentions === 0) {
      const warnings = strategy.warn?.(o, undefined, wanted);
      if (warnings) await slice.run(warnings);
    }
    await admitted.validate(o);
    const done = await putNew(core, write, { admitted, object: o, version, strategy, allocated, slice });
    if (done === 'contended') {
      if (++contentions < limits.contentionRetries) continue;
      throw contended();
    }
    if (done !== 'taken') return done;
    if (generate === '' || names++ >= limits.generateNameAttempts) throw await alreadyThere(core, write, o);
  }
}

/** Removes the resourceVersion of a new object, and returns it. */
function takeVersion(object: JsonObject): string {
  const version = text(metaOf(object), 'resourceVersion');
  delete metaOf(object)['resourceVersion'];
  return version;
}

async function alreadyThere(core: Core, { target, context }: Write, o: JsonObject): Promise<ApiError> {
  const { resource } = target;
  const name = text(metaOf(o), 'name');
  await fresh(core, context);
  const existing = collectionOf(core, resource).get(keyOf(resource, target.namespace, name));
  const deleting = existing !== undefined && text(metaOf(existing.value()), 'deletionTimestamp') !== '';
  return text(metaOf(o), 'generateName') === ''
    ? errors.alreadyExists(resource.groupResource, name, deleting)
    : errors.noUniqueName(resource.groupResource, name);
}

/** Makes a new object ready to be stored, and returns what its allocation adds to the transaction. */
async function prepareNew(
  core: Core,
  target: Target,
  o: JsonObject,
  wanted: WriteContext,
  slice: Slice,
): Promise<TxnPart> {
  const { resource } = target;
  const { strategy } = resource;
  firstGeneration(o, strategy);
  await slice.run(dropDisabledFields(o, hubOf(resource).schema, (gate) => core.featureEnabled(gate)));
  const preparing = strategy.create?.prepare?.(o, wanted);
  if (preparing) await slice.run(preparing);
  if (slice.spent()) await slice.yield();
  const allocated = await allocate(core, strategy, { object: o, old: undefined }, wanted);
  const found = new FieldErrors();
  const metaLast = strategy.create?.metaLast === true;
  if (!metaLast) validateNewMeta(o, target, found);
  const waiting = strategy.create?.validate?.(o, found, wanted);
  if (waiting) await inTurns(waiting, slice);
  if (found.pending) await finishChecks(found, slice);
  if (slice.spent()) await slice.yield();
  refuse(target, o, await slice.run(addDeclarative(core, target, { object: o, old: undefined }, found)));
  refuse(target, o, metaLast ? newMetaErrors(o, target) : generateNameErrors(o));
  return allocated;
}

interface NewObject {
  readonly admitted: Admitted;
  readonly object: JsonObject;
  /** The resourceVersion of the body, or the one that admission set. */
  readonly version: string;
  readonly strategy: Strategy;
  readonly allocated: TxnPart;
  readonly slice: Slice;
}

async function putNew(
  core: Core,
  { target, options, context }: Write,
  { admitted, object: o, version, strategy, allocated, slice }: NewObject,
): Promise<Written | 'taken' | 'contended'> {
  const { resource } = target;
  const name = text(metaOf(o), 'name');
  const key = keyOf(resource, target.namespace, name);
  const whole = await storedForm(resource, o);
  strategy.complete?.(whole);
  if (options.dryRun) {
    await fresh(core, context);
    if (exists(core, target, name)) return 'taken';
    // The store would refuse or ignore it; a dry run returns it.
    if (version !== '') metaOf(whole)['resourceVersion'] = version;
  } else if (target.kind === 'collection') checkUnversioned(version);
  const added = await admitted.transact();
  let over: (() => void) | undefined;
  try {
    if (slice.spent()) await slice.yield();
    if (options.dryRun) return { outcome: 'created', object: valueAnswer(resource, whole) };
    const form = await slice.run(storedSteps(resource.storage.type.schema, whole));
    const value = form.bytes;
    const compares = [{ key, modRevision: revision(0) }, ...allocated.compares, ...added.compares];
    const ops = [putOp(core, resource, key, value), ...allocated.ops, ...added.ops];
    over = writing(core, key, form, whole);
    const failed = await commitInNamespace(core, target, name, { compares, ops });
    if (typeof failed === 'string') return failed === key ? 'taken' : 'contended';
    const at = failed;
    return { outcome: 'created', object: writtenAnswer(core, resource, { key, value, at, createRevision: at }) };
  } finally {
    over?.();
    added.settled();
  }
}

/**
 * Commits a create together with a comparison of its namespace. A change of the namespace other than its deletion only repeats the
 * transaction. Returns the revision, or the key whose comparison failed.
 */
async function commitInNamespace(
  core: Core,
  { namespace, resource }: Target,
  name: string,
  { compares, ops }: TxnPart,
): Promise<Revision | string> {
  for (let conflicts = 0; ; conflicts++) {
    const home = namespace === '' ? undefined : namespaceState(core, namespace, resource.groupResource, name);
    const result = await commit(core, home === undefined ? compares : [...compares, home], ops);
    if (result.kind === 'committed') return result.revision;
    if (result.key !== home?.key) return result.key;
    if (conflicts >= limits.contentionRetries) throw contended();
  }
}

const NOTHING: TxnPart = { compares: [], ops: [] };

/** Runs the allocation of the kind, if any. */
export async function allocate(core: Core, strategy: Strategy, change: Change, wanted: WriteContext): Promise<TxnPart> {
  const rule = strategy.storage?.allocate;
  return rule === undefined ? NOTHING : rule(change, readerOf(core), wanted);
}
