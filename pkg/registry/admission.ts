import {
  type Admission,
  type AdmissionObjects,
  type AdmissionOperation,
  type AdmissionRequest,
  type AdmissionSubject,
  apiVersionOf,
  cloneJson,
  errors,
  isQualifiedName,
  type JsonObject,
  parseApiVersion,
  type Reinvocation,
  type StepThat,
  type TxnAddition,
  type WebhookCalls,
} from '../api/index.js';
import type { Slice, Steps } from '../base/index.js';
import { decodeAsSteps } from '../codec/index.js';
import { ConfigurationError, managedFieldsError, mergeConfiguration, untyped } from '../patch/index.js';
import { TransactionBuilder } from './admissiontransaction.js';
import { expectedKind } from './bodies.js';
import { converting } from './conversion.js';
import { type Core, sliceOf } from './core.js';
import { betweenHubs, fromHub, hubSteps } from './hub.js';
import { metaOf, text } from './meta.js';
import { replacedKind } from './replacedkind.js';
import type { DeleteOptions, RequestContext, Target, WriteOptions } from './requests.js';
import type { TxnPart } from './resource.js';
import type { ServedResource } from './servedresources.js';
import { refuseLongLists } from './size.js';

/** Keys have a prefix and are qualified names. A webhook chooses the second half of its keys. */
function isAnnotationKey(key: string): boolean {
  const slash = key.indexOf('/');
  return slash > 0 && slash === key.lastIndexOf('/') && isQualifiedName(key).length === 0;
}

/** The inputs of admission for one write. */
export interface AdmissionInput {
  readonly target: Target;
  readonly operation: AdmissionOperation;
  readonly context: RequestContext;
  readonly dryRun: boolean;
  /** Absent for a connection. */
  readonly options?: WriteOptions | DeleteOptions;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
  /** The write is a part of an action, which has passed admission itself: steps only add to its transaction. */
  readonly partOfAction?: boolean | undefined;
}

interface Replacement {
  /** Unknown fields are errors. */
  readonly strict: boolean;
  /** Makes the error for an object that does not decode. */
  undecodable(why: string): Error;
}

/** The admission of one write (the contract is in `pkg/api/admission.ts`), with the functions that run the chain. */
export class Admitted implements AdmissionRequest {
  readonly #core: Core;
  readonly #input: AdmissionInput;
  #object: JsonObject | undefined;
  #requested: AdmissionSubject | undefined;
  #stored: AdmissionSubject | undefined;
  #equivalents: readonly AdmissionSubject[] | undefined;
  #reinvocation: ReinvocationState | undefined;

  constructor(core: Core, input: AdmissionInput) {
    this.#core = core;
    this.#input = input;
    this.#object = input.object;
  }

  get operation(): AdmissionOperation {
    return this.#input.operation;
  }

  get groupResource(): AdmissionRequest['groupResource'] {
    return this.#input.target.resource.groupResource;
  }

  get subresource(): string {
    return this.#input.target.subresource;
  }

  get namespace(): string {
    return this.#input.target.namespace;
  }

  get name(): string {
    const { name } = this.#input.target;
    if (this.#input.context.ofCollection === true) return '';
    return name === '' && this.#object !== undefined ? text(metaOf(this.#object), 'name') : name;
  }

  get dryRun(): boolean {
    return this.#input.dryRun;
  }

  get deadline(): number {
    return this.#input.context.deadline;
  }

  get signal(): AbortSignal | undefined {
    return this.#input.context.signal;
  }

  get user(): AdmissionRequest['user'] {
    return this.#input.context.user;
  }

  get object(): JsonObject | undefined {
    return this.#object;
  }

  get old(): JsonObject | undefined {
    return this.#input.old;
  }

  get requested(): AdmissionSubject {
    this.#requested ??= requestedSubject(this.#input);
    return this.#requested;
  }

  get stored(): AdmissionSubject {
    const { target } = this.#input;
    this.#stored ??= isWhole(target) ? subjectOf(target.resource, target.resource.storage.apiVersion) : this.requested;
    return this.#stored;
  }

  get options(): JsonObject {
    return optionsOf(this.#input);
  }

  get equivalents(): readonly AdmissionSubject[] {
    const { target } = this.#input;
    this.#equivalents ??= isWhole(target)
      ? target.resource.declaration.served.map((r) => subjectOf(r, r.apiVersion))
      : [this.requested];
    return this.#equivalents;
  }

  get reinvocation(): Reinvocation {
    this.#reinvocation ??= new ReinvocationState();
    return this.#reinvocation;
  }

  async inVersion(apiVersion: string): Promise<AdmissionObjects | undefined> {
    const { target } = this.#input;
    if (!isWhole(target)) {
      const { kind } = this.requested;
      return apiVersion === apiVersionOf(kind)
        ? { subject: this.requested, object: copyOf(this.#object), old: copyOf(this.old) }
        : undefined;
    }
    const version = target.resource.declaration.served.find((r) => r.apiVersion === apiVersion);
    if (version === undefined) return undefined;
    const converted = (o: JsonObject | undefined): JsonObject | undefined => {
      const copy = copyOf(o);
      if (copy !== undefined) fromHub(target.resource, version, copy);
      return copy;
    };
    const objects = (): AdmissionObjects => ({
      subject: subjectOf(version, apiVersion),
      object: converted(this.#object),
      old: converted(this.old),
    });
    return converting(target.resource, objects);
  }

  async merge(live: JsonObject, configuration: JsonObject): Promise<void> {
    const { info, schema } = this.#typeOf(configuration);
    const { resource } = this.#input.target;
    // As in kube-apiserver, which looks for the type in the OpenAPI document of the kind's own version: it has no other kinds of bodies.
    const kind = `${info.group}/${info.version}, Kind=${info.kind}`;
    if (apiVersionOf(info) !== resource.apiVersion && !isWhole(this.#input.target)) throw untyped(kind);
    await this.#replace(mergeConfiguration(live, configuration, schema), {
      strict: false,
      undecodable: (why) => new ConfigurationError(`unable to convert unstructured object to ${kind}: ${why}`),
    });
  }

  #typeOf(object: JsonObject) {
    const { target } = this.#input;
    const version = isWhole(target)
      ? target.resource.declaration.served.find((r) => r.apiVersion === object['apiVersion'])
      : undefined;
    return version?.type ?? expectedKind(target);
  }

  replace(object: JsonObject, { strict } = { strict: false }): Promise<void> {
    return this.#replace(object, { strict, undecodable: errors.internal });
  }

  async #replace(given: JsonObject, { strict, undecodable }: Replacement): Promise<void> {
    const { target } = this.#input;
    const before = this.#object;
    if (before === undefined) throw errors.internal(`a ${this.operation} request has no object to replace`);
    const whole = isWhole(target);
    const version = whole
      ? target.resource.declaration.served.find((r) => r.apiVersion === given['apiVersion'])
      : undefined;
    const expected = version?.type ?? expectedKind(target);
    // A webhook or a policy can make a list longer than a body may have one.
    await this.run(refuseLongLists(target, given, Infinity));
    const decoded = await this.run(decodeAsSteps(expected, { ...given, ...replacedKind(given, expected.info) }));
    if (!decoded.ok) throw undecodable(decoded.message);
    if (strict && decoded.strict.errors.length > 0)
      throw errors.internal(`strict decoding error: ${decoded.strict.errors.join(', ')}`);
    const next = decoded.object;
    if (whole) await this.#settle(version ?? target.resource, next);
    const namespace = text(metaOf(before), 'namespace');
    if (whole && text(metaOf(next), 'namespace') === '' && namespace !== '') metaOf(next)['namespace'] = namespace;
    if (whole && text(metaOf(next), 'namespace') !== namespace)
      throw errors.badRequest('the namespace of the provided object does not match the namespace sent on the request');
    const invalid = managedFieldsError(next);
    if (invalid !== undefined) {
      restoreManagedFields(next, before);
      this.warn(
        `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${invalid}`,
      );
    }
    this.#object = next;
  }

  /** Brings a decoded object to the hub version. */
  async #settle(version: ServedResource, next: JsonObject): Promise<void> {
    const { resource } = this.#input.target;
    await this.run(hubSteps(version, next));
    await converting(resource, () => betweenHubs(version, resource, next));
  }

  run<T>(work: Steps<T>): T | Promise<T> {
    return sliceOf(this.#core, this.#input.context).run(work);
  }

  warn(warning: string): void {
    this.#input.context.warn(warning);
  }

  annotate(key: string, value: string | (() => string), level?: 'Request'): void {
    if (isAnnotationKey(key)) this.#input.context.annotate(key, value, level);
  }

  took(calls: WebhookCalls, milliseconds: number): void {
    this.#input.context.took?.(calls, milliseconds);
  }

  /** Runs the mutating steps, a second time if a step requests it, and returns the object. */
  async mutate(): Promise<JsonObject | undefined> {
    if (this.#input.partOfAction === true) return this.#object;
    const slice = sliceOf(this.#core, this.#input.context);
    slice.spent();
    const began = slice.checked;
    let rejected = true;
    try {
      await this.#mutateOnce(slice);
      if (this.#reinvocation?.begin() === true) await this.#mutateOnce(slice);
      rejected = false;
    } finally {
      this.#core.metrics.ran('admit', this.operation, { rejected, began, ended: slice.checked });
    }
    return this.#object;
  }

  /** A large object takes each step a while, so other requests run between them. */
  async #mutateOnce(slice: Slice): Promise<void> {
    const { mutating } = this.#core.admission;
    for (let i = 0; i < mutating.length; i++) {
      const began = slice.checked;
      try {
        const step = mutating[i]!;
        const done = step.concerns?.(this) === false ? undefined : step.mutate(this);
        if (done !== undefined) await done;
      } catch (error) {
        slice.spent();
        this.#stepped('mutating', i, true, slice.checked - began);
        throw error;
      }
      const isSpent = slice.spent();
      this.#stepped('mutating', i, false, slice.checked - began);
      if (isSpent) await slice.yield();
    }
  }

  #stepped(chain: keyof Admission, i: number, rejected: boolean, milliseconds: number): void {
    const series = this.#core.stepSeries[chain][i];
    if (series !== undefined) this.#core.metrics.stepped(series, this.operation, rejected, milliseconds);
  }

  /**
   * Runs the validating steps. `object` is the object to be stored, if it differs from the result of `mutate` (a
   * generated name).
   */
  async validate(object: JsonObject | undefined = this.#object): Promise<void> {
    this.#object = object;
    if (this.#input.partOfAction === true) return;
    const slice = sliceOf(this.#core, this.#input.context);
    slice.spent();
    const began = slice.checked;
    let rejected = true;
    try {
      await this.#validateOnce(slice);
      rejected = false;
    } finally {
      this.#core.metrics.ran('validate', this.operation, { rejected, began, ended: slice.checked });
    }
  }

  async #validateOnce(slice: Slice): Promise<void> {
    const { validating } = this.#core.admission;
    for (let i = 0; i < validating.length; i++) {
      const began = slice.checked;
      try {
        const step = validating[i]!;
        const done = step.concerns?.(this) === false ? undefined : step.validate(this);
        if (done !== undefined) await done;
      } catch (error) {
        slice.spent();
        this.#stepped('validating', i, true, slice.checked - began);
        throw error;
      }
      const isSpent = slice.spent();
      this.#stepped('validating', i, false, slice.checked - began);
      if (isSpent) await slice.yield();
    }
  }

  /** Returns the additions of the steps to the transaction. */
  async transact(): Promise<TxnPart & { readonly settled: () => void }> {
    let part: TransactionBuilder | undefined;
    try {
      const { transacting } = this.#core.admission;
      for (let i = 0; i < transacting.length; i++) {
        const addition = await this.#transactOnce(transacting[i]!, i);
        if (addition === undefined) continue;
        part ??= new TransactionBuilder(this.#core);
        part.add(addition);
      }
      return part?.build() ?? NO_ADDITION;
    } catch (e) {
      part?.settle();
      throw e;
    }
  }

  async #transactOnce(step: StepThat<'transact'>, i: number): Promise<TxnAddition | undefined> {
    const { clock } = this.#core.world;
    const began = clock.monotonic();
    let rejected = true;
    try {
      const done = step.transact(this);
      const addition = done instanceof Promise ? await done : done;
      rejected = false;
      return addition;
    } finally {
      this.#stepped('transacting', i, rejected, clock.monotonic() - began);
    }
  }
}

const NO_ADDITION = { compares: [], ops: [], settled: () => {} } as const;

class ReinvocationState implements Reinvocation {
  #active = false;
  #requested = false;
  readonly state = new Map<string, unknown>();

  get active(): boolean {
    return this.#active;
  }

  request(): void {
    this.#requested = true;
  }

  /** Starts the second run if a step requested it. */
  begin(): boolean {
    this.#active = this.#requested;
    return this.#active;
  }
}

/** Reports whether admission sees the stored kind. It sees other kinds for scale, actions and connections. */
const isWhole = (target: Target): boolean =>
  target.kind === 'collection' || target.kind === 'object' || target.kind === 'status';

function subjectOf(resource: ServedResource, apiVersion: string): AdmissionSubject {
  const gv = parseApiVersion(apiVersion)!;
  return { kind: { ...gv, kind: resource.kind }, resource: { ...gv, resource: resource.resource } };
}

function requestedSubject({ target }: AdmissionInput): AdmissionSubject {
  const { group, version, kind } = expectedKind(target).info;
  const { resource } = target;
  return {
    kind: { group, version, kind },
    resource: { group: resource.group, version: resource.version, resource: resource.resource },
  };
}

function optionsOf({ operation, options, dryRun }: AdmissionInput): JsonObject {
  if (options === undefined) return {};
  const common: JsonObject = { apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}) };
  if ('fieldManager' in options) {
    const { fieldManager, fieldValidation } = options;
    const kind = operation === 'create' ? 'CreateOptions' : 'UpdateOptions';
    return {
      kind,
      ...common,
      ...(fieldManager === '' ? {} : { fieldManager }),
      ...(fieldValidation === 'Warn' ? {} : { fieldValidation }),
    };
  }
  const { gracePeriodSeconds, preconditions, propagationPolicy, orphanDependents } = options;
  return {
    kind: 'DeleteOptions',
    ...common,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
  };
}

const copyOf = (o: JsonObject | undefined): JsonObject | undefined => (o === undefined ? undefined : cloneJson(o));

/** Restores the previous managed fields. */
function restoreManagedFields(next: JsonObject, before: JsonObject): void {
  const kept = metaOf(before)['managedFields'];
  if (kept === undefined) delete metaOf(next)['managedFields'];
  else metaOf(next)['managedFields'] = cloneJson(kept);
}
