import { ApiError, cloneJson, FieldErrors, type JsonObject } from '../api/index.js';
import type { Revision, Slice } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import { storedSteps } from '../codec/index.js';
import { keepTimesOfNoop } from '../patch/index.js';
import { dropDisabledFields } from '../schema/index.js';
import type { Op } from '../storage/index.js';
import { Admitted } from './admission.js';
import { decodeObject } from './bodies.js';
import { isUnchanged, putOp, valueAnswer, writing, writtenAnswer } from './commit.js';
import { converting } from './conversion.js';
import { type Core, keyOf, notFound, notOlderThan, sliceOf, turnFor } from './core.js';
import { addDeclarative, finishChecks, inTurns, refuse } from './fielderrors.js';
import { hubForm, hubOf, requestedForm, storedForm, updatedForm } from './hub.js';
import { limits } from './limits.js';
import { parseVersion } from './listoptions.js';
import { metaOf, text } from './meta.js';
import { type Decision, optimisticUpdate } from './optimistic.js';
import type { Answer, ObjectTarget, RequestContext, ScaleTarget, Target, UpdateRequest, Written } from './requests.js';
import type { ScaleBehaviour, Strategy, TxnPart, WriteContext } from './resource.js';
import {
  carryOver,
  checkName,
  checkUid,
  checkVersion,
  isGone,
  keepGeneration,
  placeInNamespace,
  raiseGeneration,
  raisesGeneration,
  settleVersion,
  validateChangedMeta,
} from './systemfields.js';
import { trackSteps } from './tracking.js';
import { writeContext } from './virtual.js';
import { allocate, insert, settle, type Write } from './write.js';

/**
 * Changes of one object: PUT is in this file; patch, apply and scale are in `patchverb.ts`, actions in `objects.ts`.
 */

/** A function from the stored state of an object to a new one. */
export interface ObjectEdit {
  /** The number of retries when the object changes concurrently. */
  readonly retries: number;
  /** The result of `make` has up-to-date managed fields. */
  readonly tracked: boolean;
  /**
   * Returns the new object in the hub version, with defaults; with `scale`, the new Scale. `old` is the stored object in that version. Others
   * read it too: it must not be changed.
   */
  readonly make: (stored: StoredObject, old: JsonObject, slice: Slice) => JsonObject | Promise<JsonObject>;
  /** Creates the object if it does not exist; absent: 404. */
  readonly create?: (() => Promise<Written>) | undefined;
  /** The change is a part of an action, which has passed admission itself. */
  readonly partOfAction?: boolean;
  /** Replaces the rules of the target. */
  readonly rules?: Strategy;
  readonly scale?: ScaleEdit;
}

/** An edit of a small object that is computed from the whole one. */
export interface ScaleEdit {
  readonly read: ScaleBehaviour['read'];
  /** The new whole object. */
  readonly write: (old: JsonObject, scale: JsonObject) => JsonObject;
}

/** PUT of an object, or of its status. */
export async function update(
  core: Core,
  request: UpdateRequest & { readonly target: ObjectTarget },
  context: RequestContext,
): Promise<Written> {
  const { target, options } = request;
  await turnFor(core, request.body);
  const slice = sliceOf(core, context);
  const object = await slice.run(
    decodeObject(target, request.body, options.fieldValidation, context, core.world.clock.now()),
  );
  placeInNamespace(object, target);
  checkName(object, target.name);
  const write: Write<ObjectTarget> = { target, options, context };
  const version = text(metaOf(object), 'resourceVersion');
  // The cache may not have applied a version of another peer yet. This is not a conflict.
  if (/^[1-9]\d{0,15}$/.test(version)) await caughtUp(core, target, parseVersion(version), context);
  return modify(core, write, {
    retries: version === '' || version === '0' ? limits.unconditionalRetries : 0,
    tracked: false,
    make: async (stored, _old, slice) => {
      checkUid(object, { key: stored.key, uid: stored.uid(), dryRun: options.dryRun }, target);
      const next = cloneJson(object);
      if (slice.spent()) await slice.yield();
      await slice.run(settle(core, write, next));
      return next;
    },
    create:
      target.kind === 'object' && target.rules.update?.allowCreate === true
        ? () => {
            const key = keyOf(target.resource, target.namespace, target.name);
            checkUid(object, { key, uid: '', dryRun: options.dryRun }, target);
            return insert(core, write, cloneJson(object), false);
          }
        : undefined,
  });
}

async function caughtUp(core: Core, target: Target, version: Revision, context: RequestContext): Promise<void> {
  try {
    await notOlderThan(core, target, version, context);
  } catch (e) {
    // No object has a future version; the comparison of versions reports the conflict.
    if (!(e instanceof ApiError) || e.status.code !== 504) throw e;
  }
}

/** Changes an object; creates it if the edit allows that. */
export function modify(core: Core, write: Write<ObjectTarget | ScaleTarget>, edit: ObjectEdit): Promise<Written> {
  const { target, context } = write;
  return optimisticUpdate(core, { target, context, retries: edit.retries }, (stored) =>
    stored === undefined ? create(target, edit) : decide(core, write, edit, stored),
  );
}

async function create(target: Target, edit: ObjectEdit): Promise<Decision<Written>> {
  if (edit.create === undefined) throw notFound(target);
  try {
    return { kind: 'done', value: await edit.create() };
  } catch (e) {
    if (e instanceof ApiError && e.status.reason === 'AlreadyExists') return { kind: 'taken', error: e };
    throw e;
  }
}

const NO_RULES: Strategy = {};

/** One decision about one state of the object. */
async function decide(
  core: Core,
  write: Write<ObjectTarget | ScaleTarget>,
  edit: ObjectEdit,
  stored: StoredObject,
): Promise<Decision<Written>> {
  const { target, options, context } = write;
  const { resource } = target;
  const { scale } = edit;
  const { dryRun } = options;
  const rules = edit.rules ?? target.rules;
  const slice = sliceOf(core, context);
  const old = await updatedForm(resource, stored);
  if (slice.spent()) await slice.yield();
  const made = await converting(resource, () => edit.make(stored, old, slice));
  if (slice.spent()) await slice.yield();
  checkVersionOf(made, { target, stored, old, scale });
  const { fieldManager: manager } = options;
  if (!edit.tracked) {
    await converting(resource, () => slice.run(trackSteps(core, target, { live: old, object: made, manager })));
  }
  const shown = scale === undefined ? old : scale.read(old, 'base');
  const admitted = new Admitted(core, {
    target,
    operation: 'update',
    context,
    dryRun,
    options,
    object: made,
    old: shown,
    partOfAction: edit.partOfAction,
  });
  const result = (await admitted.mutate()) ?? made;
  const o = scale === undefined ? result : scale.write(old, result);
  // Mutating admission may have changed the version: then it decides.
  if (scale === undefined) settleVersion(o, stored, target, resource.strategy);
  const wanted = writeContext(core, target, context, dryRun);
  const allocated = await prepareChanged(core, target, { object: o, old, rules, slice }, wanted);
  if (slice.spent()) await slice.yield();
  await warn(rules, { object: o, old, slice }, wanted);
  await admitted.validate();
  if (slice.spent()) await slice.yield();
  const compared = slice.checked;
  const outcome = keepTimesOfNoop(old, o);
  core.metrics.compared(outcome, core.world.clock.monotonic() - compared);
  const gone = isGone(o, old, resource.strategy);
  const whole = await storedForm(resource, o);
  const form = await slice.run(storedSteps(resource.storage.type.schema, whole));
  const value = form.bytes;
  const again = scale === undefined ? undefined : await hubForm(resource, whole);
  const answered = (written: Written): Written =>
    scale === undefined
      ? written
      : {
          outcome: written.outcome,
          object: { kind: 'value', value: scale.read({ ...again, metadata: metaOf(wholeOf(written)) }, 'answer') },
        };
  if (!gone && isUnchanged(stored, value)) {
    return { kind: 'answer', value: answered({ outcome: 'unchanged', object: { kind: 'stored', stored } }) };
  }
  const added = await admitted.transact();
  // An object that the update deletes is never stored: the response is what was decided.
  const unstored = (): Answer =>
    gone ? { kind: 'value', value: requestedForm(resource, o) } : valueAnswer(resource, whole);
  if (dryRun) {
    added.settled();
    return { kind: 'answer', value: answered({ outcome: 'updated', object: unstored() }) };
  }
  const { key, createRevision } = stored;
  const over = gone ? undefined : writing(core, key, form, whole);
  const op: Op = gone ? { kind: 'delete', key } : putOp(core, resource, key, value);
  return {
    kind: 'propose',
    txn: {
      compares: [{ key, modRevision: stored.revision }, ...allocated.compares, ...added.compares],
      ops: [op, ...allocated.ops, ...added.ops],
    },
    settled: () => {
      over?.();
      added.settled();
    },
    committed: (at) => {
      const put = { key, value, at, createRevision };
      const object = gone ? unstored() : writtenAnswer(core, resource, put);
      return answered({ outcome: 'updated', object });
    },
  };
}

/** Adds the warnings of the rules. */
async function warn(
  rules: Strategy,
  { object, old, slice }: Omit<Prepared, 'rules'>,
  wanted: WriteContext,
): Promise<void> {
  const warnings = rules.warn?.(object, old, wanted);
  if (warnings) await slice.run(warnings);
}

interface Versioned {
  readonly target: Target;
  readonly stored: StoredObject;
  readonly old: JsonObject;
  readonly scale: ScaleEdit | undefined;
}

/** Refuses an outdated object before admission, which may be costly. */
function checkVersionOf(made: JsonObject, { target, stored, old, scale }: Versioned): void {
  if (scale === undefined) {
    checkVersion(made, stored, target, target.resource.strategy);
    return;
  }
  try {
    // A scale needs no version, even if an update of the kind does.
    settleVersion(made, stored, target, NO_RULES);
  } catch (e) {
    // The errors of a Scale come before a conflict.
    scale.write(old, made);
    throw e;
  }
}

const wholeOf = ({ object }: Written): JsonObject => (object.kind === 'stored' ? object.stored.value() : object.value);

interface Prepared {
  readonly object: JsonObject;
  readonly old: JsonObject;
  readonly rules: Strategy;
  readonly slice: Slice;
}

/** Makes a changed object ready to be stored, and returns what its allocation adds to the transaction. */
async function prepareChanged(
  core: Core,
  target: Target,
  { object: o, old, rules, slice }: Prepared,
  wanted: WriteContext,
): Promise<TxnPart> {
  const { resource } = target;
  const meta = metaOf(o);
  keepGeneration(meta, metaOf(old));
  const sent =
    rules.update?.generationOfSent === true &&
    raisesGeneration(o, old, { strategy: rules, schema: hubOf(resource).schema });
  await slice.run(dropDisabledFields(o, hubOf(resource).schema, (gate) => core.featureEnabled(gate), old));
  const preparing = rules.update?.prepare?.(o, old, wanted);
  if (preparing) await slice.run(preparing);
  carryOver(metaOf(o), metaOf(old));
  if (sent || raisesGeneration(o, old, { strategy: rules, schema: hubOf(resource).schema })) raiseGeneration(o, old);
  if (slice.spent()) await slice.yield();
  const stays = isGone(o, old, resource.strategy) ? undefined : o;
  const allocated = await allocate(core, rules, { object: stays, old }, wanted);
  const found = new FieldErrors();
  validateChangedMeta(o, old, target, found);
  const { validate } = rules.update ?? {};
  const waiting = validate === undefined ? rules.create?.validate?.(o, found, wanted) : validate(o, old, found, wanted);
  if (waiting) await inTurns(waiting, slice);
  if (found.pending) await finishChecks(found, slice);
  if (slice.spent()) await slice.yield();
  refuse(target, o, await slice.run(addDeclarative(core, target, { object: o, old }, found)));
  return allocated;
}
