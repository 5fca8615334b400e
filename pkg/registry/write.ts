import { ApiError, cloneJson, errors, type FieldError, FieldErrors, type JsonObject } from '../api/index.js';
import { type Revision, revision } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import { encodeStored } from '../codec/index.js';
import { keepTimesOfNoop } from '../patch/index.js';
import { declarativeErrors, dropDisabledFields } from '../schema/index.js';
import type { Op, Txn } from '../storage/index.js';
import type { AdmissionRequest } from './admission.js';
import { decodeObject } from './bodies.js';
import { Breath } from './breath.js';
import { type Committed, commit, isUnchanged, putOp, readerOf, valueAnswer, writtenAnswer } from './commit.js';
import { type Core, conflict, find, fresh, keyOf, notFound, notOlderThan } from './core.js';
import { limits } from './limits.js';
import { parseVersion } from './listoptions.js';
import { metaOf, text } from './meta.js';
import { homeOf, isHoused } from './namespaces.js';
import type { CreateRequest, RequestContext, Target, UpdateRequest, WriteOptions, Written } from './requests.js';
import type { Strategy, TxnPart, WriteContext } from './resource.js';
import {
  carryOver,
  checkName,
  checkUid,
  checkUnversioned,
  checkVersion,
  dropDuplicateOwners,
  fillSystemFields,
  firstGeneration,
  generatedName,
  isGone,
  keepGeneration,
  placeInNamespace,
  raiseGeneration,
  validateChangedMeta,
  validateNewMeta,
} from './systemfields.js';
import { trackUpdate } from './tracking.js';
import { toStorageVersion } from './upgrade.js';
import { runVirtual, writeContext } from './virtual.js';

/*
 * The whole order of a write, the same for every kind:
 *
 *   body -> its name, namespace and version are the request's own -> system fields -> defaults -> storage version
 *        -> owners (managed fields) -> mutating admission -> generation, gates, prepare -> validate, everything at once
 *        -> validating admission -> reserve -> warnings -> encode -> one transaction -> answer from the cache
 *
 * Whatever a client can get wrong is refused before the transaction; what the transaction compares is only that nobody else
 * was quicker.
 */

/** One write of one object. */
export interface Write {
  readonly target: Target;
  readonly name: string;
  readonly options: WriteOptions;
  readonly context: RequestContext;
}

/** The strategy that decides a write: the resource's, or that of a part of it. */
export function strategyOf(target: Target): Strategy {
  if (target.subresource === '') return target.resource.strategy;
  const { behaviour } = target.resource.subresources[target.subresource]!;
  return behaviour.kind === 'part' ? behaviour.strategy : target.resource.strategy;
}

/** POST. */
export async function create(core: Core, request: CreateRequest, context: RequestContext): Promise<Written> {
  const { target, name, options } = request;
  const object = decodeObject(target, request.body, options.fieldValidation, context);
  const action = target.resource.declaration.virtual !== undefined || target.subresource !== '';
  if (target.resource.namespaced) placeInNamespace(object, target);
  if (action) {
    const call = { name, verb: 'create', body: object, dryRun: options.dryRun } as const;
    if (target.subresource !== '' || target.resource.group === '') {
      const admitted = admissionOf({ target, name, options, context }, 'create', object, undefined);
      await mutate(core, admitted);
      await validateAdmission(core, admitted);
    }
    return { outcome: 'created', object: { kind: 'value', value: await runVirtual(core, target, call, context) } };
  }
  placeInNamespace(object, target);
  checkUnversioned(object);
  return insert(core, { target, name, options, context }, object, false);
}

/** PUT. */
export async function update(core: Core, request: UpdateRequest, context: RequestContext): Promise<Written> {
  const { target, name, options } = request;
  const object = decodeObject(target, request.body, options.fieldValidation, context);
  placeInNamespace(object, target);
  checkName(object, name);
  const write = { target, name, options, context };
  const version = text(metaOf(object), 'resourceVersion');
  // A version from another peer may not be here yet: it is not a conflict for that.
  if (/^[1-9]\d{0,15}$/.test(version)) await caughtUp(core, parseVersion(version), context);
  return modify(core, write, {
    retries: version === '' || version === '0' ? limits.unconditionalRetries : 0,
    tracked: false,
    make: (stored) => {
      checkUid(object, stored.uid(), stored.key, target);
      const next = cloneJson(object);
      settle(target, next, context);
      return next;
    },
    absent:
      target.resource.strategy.update?.allowCreate === true && target.subresource === ''
        ? () => {
            checkUid(object, '', keyOf(target.resource, target.namespace, name), target);
            return insert(core, write, cloneJson(object), false);
          }
        : undefined,
  });
}

async function caughtUp(core: Core, version: Revision, context: RequestContext): Promise<void> {
  try {
    await notOlderThan(core, version, context);
  } catch (e) {
    // A version of the future is one that the object does not have: the comparison will say so.
    if (!(e instanceof ApiError) || e.status.code !== 504) throw e;
  }
}

/** Applies defaults in the version of the body, and brings the object to the storage version. */
export function settle(target: Target, object: JsonObject, context: RequestContext): void {
  dropDuplicateOwners(object, context);
  toStorageVersion(target.resource, object);
}

/** Everything after the body of a new object. `tracked`: its managed fields are right already (server-side apply). */
export async function insert(core: Core, write: Write, object: JsonObject, tracked: boolean): Promise<Written> {
  const { target, options, context } = write;
  const { resource } = target;
  const { strategy } = resource;
  const breath = new Breath(core.world);
  fillSystemFields(object, core.world);
  settle(target, object, context);
  if (breath.due()) await breath.taken();
  if (!tracked) trackUpdate(core, target, strategy, { live: undefined, object, manager: options.fieldManager });
  if (breath.due()) await breath.taken();
  const admitted = admissionOf({ ...write, name: text(metaOf(object), 'name') }, 'create', object, undefined);
  await mutate(core, admitted);
  const generate = text(metaOf(object), 'name') === '' ? text(metaOf(object), 'generateName') : '';
  const wanted = writeContext(core, target, context, options.dryRun);
  const again = generate !== '' || strategy.storage?.allocate !== undefined;
  const attempts = generate !== '' ? limits.generateNameAttempts : limits.reservationRetries;
  for (let attempt = 1; ; attempt++) {
    const o = again ? cloneJson(object) : object;
    if (generate !== '') metaOf(o)['name'] = generatedName(generate, core.world);
    prepareNew(core, target, o, wanted);
    if (breath.due()) await breath.taken();
    await validateAdmission(core, { ...admitted, object: o, name: text(metaOf(o), 'name') });
    const done = await putNew(core, write, o, wanted);
    if (done !== 'taken' && done !== 'reservation') return done;
    if (attempt < attempts && (done === 'reservation' || generate !== '')) continue;
    throw alreadyThere(target, o, done);
  }
}

function alreadyThere(target: Target, o: JsonObject, why: 'taken' | 'reservation'): ApiError {
  const name = text(metaOf(o), 'name');
  if (why === 'reservation') return takenTooQuickly();
  return text(metaOf(o), 'generateName') === ''
    ? errors.alreadyExists(target.resource.groupResource, name)
    : errors.noUniqueName(target.resource.groupResource, name);
}

const takenTooQuickly = (): ApiError =>
  errors.tooManyRequests('what the object needs is taken as quickly as it is found', 1);

function prepareNew(core: Core, target: Target, o: JsonObject, wanted: WriteContext): void {
  const { resource } = target;
  const { strategy } = resource;
  firstGeneration(o, strategy);
  dropDisabledFields(o, resource.storage.schema, (gate) => core.featureEnabled(gate));
  strategy.create?.prepare?.(o, wanted);
  const found = new FieldErrors();
  validateNewMeta(o, target, found);
  strategy.create?.validate?.(o, found, wanted);
  refuse(target, o, addDeclarative(core, target, o, undefined, found));
}

/**
 * Adds what the validation markers of the schema find. Where a marker and a rule of the kind find the same fault, the marker's
 * sentence stands alone. Of what the kind's own rules say twice, once is kept.
 */
function addDeclarative(
  core: Core,
  { resource }: Target,
  o: JsonObject,
  old: JsonObject | undefined,
  found: FieldErrors,
): FieldErrors {
  const options = {
    enabled: (gate: string) => resource.strategy.validationOption?.(gate, old) ?? core.featureEnabled(gate),
  };
  const declared = declarativeErrors(o, old, resource.storage.schema, options);
  if (declared.length === 0 && found.list.length < 2) return found;
  const seen = new Set(declared.map(faultOf));
  const merged = new FieldErrors();
  for (const e of found.list) {
    const whole = `${e.field}: ${e.message}`;
    if (seen.has(whole) || seen.has(faultOf(e))) continue;
    seen.add(whole);
    merged.addAll([e]);
  }
  return merged.addAll(declared);
}

/** The same text for errors that two rules of the same sort report of one field, whatever their words. */
function faultOf({ type, field, message }: FieldError): string {
  return `${type} ${field} ${type === 'FieldValueInvalid' ? sortOfRule(message) : ''}`;
}

/** The ends of sentences that tell the sort of rule; of another sort are formats. */
const SORTS: readonly (readonly [string, string])[] = [
  ['field is immutable', 'immutable'],
  ['must be greater than or equal to ', 'minimum'],
  ['must be less than or equal to ', 'maximum'],
  ['field cannot be ', 'update'],
  ['must specify one of', 'union'],
  ['must specify exactly one of', 'union'],
  ['exactly one value must be specified', 'union'],
];

const sortOfRule = (message: string): string => SORTS.find(([words]) => message.includes(words))?.[1] ?? 'format';

function refuse(target: Target, o: JsonObject, found: FieldErrors): void {
  if (found.empty) return;
  const { group, kind } = target.resource;
  throw errors.invalid({ group, kind }, text(metaOf(o), 'name'), found.list);
}

async function putNew(
  core: Core,
  write: Write,
  o: JsonObject,
  wanted: WriteContext,
): Promise<Written | 'taken' | 'reservation'> {
  const { target, options, context } = write;
  const { resource } = target;
  const meta = metaOf(o);
  const key = keyOf(resource, target.namespace, text(meta, 'name'));
  resource.strategy.complete?.(o);
  if (options.dryRun) {
    await fresh(core, context);
    if (find(core, target, text(meta, 'name')) !== undefined) return 'taken';
    await reserve(core, resource.strategy, { object: o, old: undefined }, wanted);
    resource.strategy.warn?.(o, undefined, wanted);
    return { outcome: 'created', object: valueAnswer(resource, o) };
  }
  const reserved = await reserve(core, resource.strategy, { object: o, old: undefined }, wanted);
  resource.strategy.warn?.(o, undefined, wanted);
  const value = encodeStored(resource.storage.schema, o);
  const compares = [{ key, modRevision: revision(0) }, ...reserved.compares];
  const ops = [putOp(core, resource, key, value), ...reserved.ops];
  const result = await commitHoused(core, target, text(meta, 'name'), { compares, ops });
  if (result.kind === 'conflict') return result.key === key ? 'taken' : 'reservation';
  const at = result.revision;
  return { outcome: 'created', object: writtenAnswer(core, resource, { key, value, at, createRevision: at }) };
}

/** A namespace that changed in any other way than going away takes the object still. */
async function commitHoused(core: Core, target: Target, name: string, { compares, ops }: Txn): Promise<Committed> {
  if (!isHoused(target)) return commit(core, compares, ops);
  for (let conflicts = 0; ; conflicts++) {
    const home = homeOf(core, target, name);
    const result = await commit(core, [...compares, home], ops);
    if (result.kind === 'committed' || result.key !== home.key) return result;
    if (conflicts >= limits.conflictRetries)
      throw errors.tooManyRequests(
        `namespace ${target.namespace} changes more quickly than something can be put into it`,
        1,
      );
  }
}

const NOTHING: TxnPart = { compares: [], ops: [] };

export async function reserve(
  core: Core,
  strategy: Strategy,
  change: { readonly object: JsonObject | undefined; readonly old: JsonObject | undefined },
  wanted: WriteContext,
): Promise<TxnPart> {
  return strategy.storage?.allocate === undefined
    ? NOTHING
    : strategy.storage?.allocate(change, readerOf(core), wanted);
}

/** How a change comes about: a body put in the place of the old object, a patch, an apply, a scale. */
export interface Change {
  /** How often it may be decided anew because the object changed meanwhile. */
  readonly retries: number;
  /** The managed fields of what `make` gives are right already. */
  readonly tracked: boolean;
  /** The new object in the storage version, defaulted. `old` is the caller's own copy of the stored one, and stays what it is. */
  readonly make: (stored: StoredObject, old: JsonObject, breath: Breath) => JsonObject | Promise<JsonObject>;
  /** What happens when there is no object; absent: 404. */
  readonly absent: (() => Promise<Written>) | undefined;
  /** Decides instead of the target's own strategy. */
  readonly strategy?: Strategy;
  /** What is answered; absent: the object. */
  readonly answer?: (whole: JsonObject) => JsonObject;
}

/**
 * Changes an object. Decided against what the cache has, which is nearly always current; only when that leads to a refusal, to no
 * change or to a conflict is it made sure of, and the decision made once more if the object turns out to be newer.
 */
export async function modify(core: Core, write: Write, change: Change): Promise<Written> {
  const { target, name, context, options } = write;
  let current = false;
  const makeCurrent = async (seen: StoredObject | undefined): Promise<boolean> => {
    if (current) return false;
    await fresh(core, context);
    current = true;
    return find(core, target, name) !== seen;
  };
  for (let conflicts = 0, reservations = 0; ; ) {
    const stored = find(core, target, name);
    try {
      if (stored === undefined) {
        if (await makeCurrent(stored)) continue;
        if (change.absent === undefined) throw notFound(target, name);
        try {
          return await change.absent();
        } catch (e) {
          // Somebody else was quicker: now there is an object, and it can be changed.
          if (!isTaken(e) || find(core, target, name) === undefined || ++conflicts > change.retries + 1) throw e;
          continue;
        }
      }
      const done = await revise(core, write, change, stored);
      if (done === 'unchanged') {
        if (await makeCurrent(stored)) continue;
        return answerOf({ outcome: 'unchanged', object: { kind: 'stored', stored } }, change);
      }
      if (done === 'reservation') {
        // The object is still what it was: only what it needs has to be looked for again.
        if (++reservations < limits.reservationRetries) continue;
        throw takenTooQuickly();
      }
      if (done !== 'conflict') {
        // What would be is told of the object as it is, not as this peer knows it.
        if (options.dryRun && (await makeCurrent(stored))) continue;
        return answerOf(done, change);
      }
    } catch (e) {
      if (!(e instanceof ApiError) || e.status.code >= 500 || !(await makeCurrent(stored))) throw e;
      continue;
    }
    current = true;
    // One that is gone meanwhile is not found, rather than changed.
    if (++conflicts > change.retries && find(core, target, name) !== undefined)
      throw conflict(target.resource.groupResource, name);
  }
}

const isTaken = (e: unknown): boolean => e instanceof ApiError && e.status.reason === 'AlreadyExists';

function answerOf(written: Written, change: Change): Written {
  if (change.answer === undefined) return written;
  const whole = written.object.kind === 'stored' ? written.object.stored.parse() : written.object.value;
  return { outcome: written.outcome, object: { kind: 'value', value: change.answer(whole) } };
}

/** One decision about one state of the object, and its transaction. */
async function revise(
  core: Core,
  write: Write,
  change: Change,
  stored: StoredObject,
): Promise<Written | 'unchanged' | 'conflict' | 'reservation'> {
  const { target, options, context } = write;
  const { resource } = target;
  const strategy = change.strategy ?? strategyOf(target);
  const breath = new Breath(core.world);
  const old = stored.parse();
  const o = await change.make(stored, old, breath);
  if (breath.due()) await breath.taken();
  checkVersion(o, stored, target, resource.strategy);
  if (!change.tracked) trackUpdate(core, target, strategy, { live: old, object: o, manager: options.fieldManager });
  if (breath.due()) await breath.taken();
  const admitted = admissionOf(write, 'update', o, old);
  await mutate(core, admitted);
  const wanted = writeContext(core, target, context, options.dryRun);
  prepareChanged(core, target, { object: o, old, strategy }, wanted);
  if (breath.due()) await breath.taken();
  await validateAdmission(core, admitted);
  keepTimesOfNoop(old, o);
  const gone = isGone(o, old, resource.strategy);
  const value = encodeStored(resource.storage.schema, o);
  if (breath.due()) await breath.taken();
  if (!gone && isUnchanged(stored, value)) {
    strategy.warn?.(o, old, wanted);
    return 'unchanged';
  }
  const reserved = await reserve(core, strategy, { object: gone ? undefined : o, old }, wanted);
  strategy.warn?.(o, old, wanted);
  if (options.dryRun) return { outcome: 'updated', object: valueAnswer(resource, o) };
  const { key } = stored;
  const encoded = strategy.storage?.allocate === undefined ? value : encodeStored(resource.storage.schema, o);
  const op: Op = gone ? { kind: 'delete', key } : putOp(core, resource, key, encoded);
  const compares = [{ key, modRevision: stored.revision }, ...reserved.compares];
  const result = await commit(core, compares, [op, ...reserved.ops]);
  if (result.kind === 'conflict') return result.key === key ? 'conflict' : 'reservation';
  if (gone) return { outcome: 'updated', object: valueAnswer(resource, o) };
  const put = { key, value: encoded, at: result.revision, createRevision: stored.createRevision };
  return { outcome: 'updated', object: writtenAnswer(core, resource, put) };
}

interface Prepared {
  readonly object: JsonObject;
  readonly old: JsonObject;
  readonly strategy: Strategy;
}

function prepareChanged(
  core: Core,
  target: Target,
  { object: o, old, strategy }: Prepared,
  wanted: WriteContext,
): void {
  const { resource } = target;
  const meta = metaOf(o);
  keepGeneration(meta, metaOf(old));
  dropDisabledFields(o, resource.storage.schema, (gate) => core.featureEnabled(gate), old);
  strategy.update?.prepare?.(o, old, wanted);
  carryOver(metaOf(o), metaOf(old));
  raiseGeneration(o, old, strategy);
  const found = new FieldErrors();
  validateChangedMeta(o, old, target, found);
  if (strategy.update?.validate !== undefined) strategy.update?.validate(o, old, found, wanted);
  else strategy.create?.validate?.(o, found, wanted);
  refuse(target, o, addDeclarative(core, target, o, old, found));
}

export function admissionOf(
  write: Write,
  operation: AdmissionRequest['operation'],
  object: JsonObject | undefined,
  old: JsonObject | undefined,
): AdmissionRequest {
  const { target, options, context } = write;
  const name = write.name === '' && object !== undefined ? text(metaOf(object), 'name') : write.name;
  return { target, name, operation, object, old, dryRun: options.dryRun, context };
}

export async function mutate(core: Core, request: AdmissionRequest): Promise<void> {
  for (const step of core.admission.steps) await step.mutate?.(request);
}

export async function validateAdmission(core: Core, request: AdmissionRequest): Promise<void> {
  for (const step of core.admission.steps) await step.validate?.(request);
}
