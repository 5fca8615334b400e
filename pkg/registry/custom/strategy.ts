import {
  cloneJson,
  equalJson,
  errors,
  type FieldErrors,
  type GroupResourceName,
  isObject,
  type JsonObject,
  listAt,
  textAt,
} from '../../api/index.js';
import type { Pace, Scheduler } from '../../base/index.js';
import { inStatus, type StructSchema, validateStatus, validateStructure } from '../../schema/index.js';
import type { ServedResource } from '../kind.js';
import type { Strategy, WriteContext } from '../resource.js';
import { validateEmbedded } from './embedded.js';
import { checkRules, type RuleNode } from './rules/rules.js';
import type { ScalePaths } from './scale.js';
import { checkScale } from './scalerules.js';

/** Runs work and records how long it took. */
export type Timed = <T>(work: () => T) => T;

/** The rules of one version of a custom resource. */
export interface VersionRules {
  readonly resource: ServedResource;
  readonly hasStatus: boolean;
  /** The schema for validation. */
  schema(): StructSchema;
  /** The fields of the scale subresource, if the version has one. */
  readonly scale: ScalePaths | undefined;
  /** The CEL rules of the schema, if it has any. A promise while they are compiled, on first use. */
  expressions(pace: Pace, timed: Timed): RuleNode | undefined | Promise<RuleNode | undefined>;
}

/** Reports whether the status of objects in a version is written by its subresource only: other writes in that version do not own it. */
export type StatusIsSeparate = (version: string) => boolean;

export interface StrategyOptions {
  readonly statusIsSeparate: StatusIsSeparate;
  /** The resource, if its definition is being deleted. */
  readonly terminating: GroupResourceName | undefined;
  /** Sets defaults as reading a stored object does: those of a status that a create may not set. */
  complete(o: JsonObject): void;
}

/** The strategy of custom resources. `rules` returns the rules of the version of a request. */
export function customStrategy(
  rules: (context: WriteContext) => VersionRules,
  { statusIsSeparate, terminating, complete }: StrategyOptions,
): Strategy {
  return {
    complete,
    create: {
      allow: (o) => {
        if (terminating !== undefined)
          throw errors.forbidden(
            terminating,
            textAt(o, 'metadata', 'name'),
            'create not allowed while custom resource definition is terminating',
          );
      },
      prepare: (o, context) => {
        checkKind(o, rules(context));
        if (rules(context).hasStatus) delete o['status'];
      },
      validate: (o, found, context) => validate({ object: o, old: undefined }, rules(context), found, context),
    },
    warn: (o, _old, context) => {
      for (const f of listAt(o, 'metadata', 'finalizers'))
        if (typeof f === 'string' && !f.includes('/') && !WELL_KNOWN_FINALIZERS.has(f))
          context.warn(
            `metadata.finalizers: ${JSON.stringify(f)}: prefer a domain-qualified finalizer name${f.includes('.') ? ' including a path (/)' : ''} to avoid accidental conflicts with other finalizer writers`,
          );
    },
    update: {
      allowUnconditional: false,
      // A write in another version may change the status that owners in this one have.
      resetFields: (owner, request) => (owner === request && statusIsSeparate(owner) ? STATUS : NONE),
      prepare: (o, old, context) => {
        checkKind(o, rules(context));
        if (rules(context).hasStatus) restore('status', o, old);
      },
      // A status that has its subresource is restored before, so that only a status without one is a change here.
      generation: differs,
      validate: (o, old, found, context) => validate({ object: o, old }, rules(context), found, context),
    },
    compatibility: { anyFinalizers: true, repeatsErrors: true },
  };
}

const STATUS = [['status']] as const;
const ALL_BUT_STATUS = [['metadata'], ['spec']] as const;
const NONE = [] as const;

/** Errors after which expressions are not evaluated: the object may not be what they expect. */
const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

interface Change {
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
}

function validate(
  change: Change,
  rules: VersionRules,
  found: FieldErrors,
  context: WriteContext,
  parts: 'all' | 'status' = 'all',
): Promise<void> | undefined {
  const check = parts === 'status' ? validateStatus : validateStructure;
  const structural = check(change.object, rules.schema(), change.old);
  const rest = (): Promise<void> | undefined => validateRest(change, rules, structural, { found, context, parts });
  return structural.pending ? allSteps(structural, context.scheduler).then(rest) : rest();
}

async function allSteps(errors: FieldErrors, scheduler: Scheduler): Promise<void> {
  for (; errors.pending; errors.step()) if (scheduler.spent()) await scheduler.yield();
}

interface Report {
  readonly found: FieldErrors;
  readonly context: WriteContext;
  readonly parts: 'all' | 'status';
}

/** What depends on the structure, whose errors are known. */
function validateRest(
  change: Change,
  rules: VersionRules,
  structural: FieldErrors,
  { found, context, parts }: Report,
): Promise<void> | undefined {
  const { scheduler, warn, metrics } = context;
  found.addAll(parts === 'status' ? structural.list.map(inStatus) : structural.list);
  // As in kube-apiserver, an update of the status may store embedded objects that the next update of the rest is refused for.
  if (parts === 'all') validateEmbedded(change.object, rules.schema(), found);
  if (rules.scale !== undefined) checkScale(change.object, rules.scale, parts, found);
  const evaluate = (expressions: RuleNode): Promise<void> | undefined => {
    // Errors of the metadata, of the scale and of embedded objects count as well as those of the schema.
    if (!found.list.some((e) => BLOCKING.has(e.type)))
      return timer(context, (time) => metrics?.rulesEvaluated(time))(() =>
        checkRules(expressions, { ...change, schema: rules.schema() }, { errors: found, warn }, scheduler),
      );
    found.add('FieldValueInvalid', '<nil>', `Invalid value: null: ${NOT_CHECKED}`);
    return undefined;
  };
  const check = (expressions: RuleNode | undefined): Promise<void> | undefined => {
    if (expressions === undefined) return undefined;
    return found.pending ? allSteps(found, scheduler).then(() => evaluate(expressions)) : evaluate(expressions);
  };
  const expressions = rules.expressions(
    scheduler,
    timer(context, (time) => metrics?.rulesCompiled(time)),
  );
  return expressions instanceof Promise ? expressions.then(check) : check(expressions);
}

/** `record` gets the milliseconds of the work. */
function timer({ world: { clock } }: WriteContext, record: (milliseconds: number) => void): Timed {
  return (work) => {
    const began = clock.monotonic();
    const ended = (): void => record(clock.monotonic() - began);
    const value = work();
    if (value instanceof Promise) void value.then(ended, () => {});
    else ended();
    return value;
  };
}

/** The status subresource of a custom resource: only the status changes, not even the metadata. */
export function customStatusStrategy(
  rules: (context: WriteContext) => VersionRules,
  statusIsSeparate: StatusIsSeparate,
): Strategy {
  return {
    update: {
      allowUnconditional: false,
      generation: 'none',
      // As in kube-apiserver, the metadata and spec that a request has beside the status are taken from owners in versions without a
      // status subresource, although they are not written.
      resetFields: (owner) => (statusIsSeparate(owner) ? ALL_BUT_STATUS : NONE),
      prepare: (o, old, context) => {
        checkKind(o, rules(context));
        for (const field of new Set([...Object.keys(o), ...Object.keys(old)]))
          if (!WRITTEN_WITH_STATUS.has(field)) restore(field, o, old);
        if (o['status'] === null && old['status'] === undefined) delete o['status'];
        const meta = isObject(o['metadata']) ? o['metadata'] : {};
        const { managedFields, resourceVersion } = meta;
        const kept = cloneJson(isObject(old['metadata']) ? old['metadata'] : {});
        delete kept['managedFields'];
        if (managedFields !== undefined) kept['managedFields'] = managedFields;
        if (resourceVersion !== undefined) kept['resourceVersion'] = resourceVersion;
        o['metadata'] = kept;
      },
      validate: (o, old, found, context) => validate({ object: o, old }, rules(context), found, context, 'status'),
    },
    compatibility: { anyFinalizers: true, repeatsErrors: true },
  };
}

const WELL_KNOWN_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

function differs(a: JsonObject, b: JsonObject): boolean {
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (key === 'metadata' || key === 'kind' || key === 'apiVersion') continue;
    if (!equalJson(a[key], b[key])) return true;
  }
  return false;
}

const WRITTEN_WITH_STATUS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function restore(field: string, o: JsonObject, old: JsonObject): void {
  const before = old[field];
  if (before === undefined) delete o[field];
  else o[field] = cloneJson(before);
}

function checkKind(o: JsonObject, { resource }: VersionRules): void {
  const kind = textAt(o, 'kind');
  if (kind === resource.kind) return;
  const message = `Invalid value: ${JSON.stringify(kind)}: must be ${resource.kind}`;
  throw errors.invalid({ group: resource.group, kind }, textAt(o, 'metadata', 'name'), [
    { type: 'FieldValueInvalid', field: 'kind', message },
  ]);
}
