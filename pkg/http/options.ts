import { errors, FieldErrors, FieldPath } from '../api/index.js';
import {
  checkDryRun,
  checkPropagation,
  type DeleteOptions,
  EVERYTHING,
  type FieldValidation,
  type ListOptions,
  type PatchType,
  type WriteOptions,
} from '../registry/index.js';
import type { Query } from './requestinfo.js';

/** Converts query parameters to the options of the verbs, with kube-apiserver's error messages. */

const FIELD_MANAGER = FieldPath.of('fieldManager');
const FIELD_VALIDATION = FieldPath.of('fieldValidation');
const FORCE = FieldPath.of('force');
const UNSAFE = FieldPath.of('ignoreStoreReadErrorWithClusterBreakingPotential');

const FIELD_MANAGER_BYTES_MAX = 128;
const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'] as const;

const DEFAULTS = new Map<string, WriteOptions>();

/** The options of create and update. `kind` is the name used in errors. */
export function writeOptions(kind: 'CreateOptions' | 'UpdateOptions', query: Query, userAgent: string): WriteOptions {
  if (query.empty) return defaultOptions(userAgent);
  const found = new FieldErrors();
  const options = commonOptions(query, userAgent, found);
  refuse(kind, found);
  return options;
}

export interface PatchOptions {
  readonly options: WriteOptions;
  readonly force: boolean;
}

export function patchOptions(query: Query, type: PatchType, userAgent: string): PatchOptions {
  if (query.empty && type !== 'apply') return { options: defaultOptions(userAgent), force: false };
  const found = new FieldErrors();
  const force = query.optionalFlag('force');
  if (type !== 'apply' && force !== undefined) found.forbidden(FORCE, 'may not be specified for non-apply patch');
  if (type === 'apply' && query.text('fieldManager') === '')
    found.required(FIELD_MANAGER, 'is required for apply patch');
  // An apply has no default manager.
  const options = commonOptions(query, type === 'apply' ? '' : userAgent, found);
  refuse('PatchOptions', found);
  return { options, force: force ?? false };
}

function defaultOptions(userAgent: string): WriteOptions {
  let known = DEFAULTS.get(userAgent);
  if (known === undefined) {
    known = { dryRun: false, fieldManager: managerOf(userAgent), fieldValidation: 'Warn' };
    if (DEFAULTS.size < 1000) DEFAULTS.set(userAgent, known);
  }
  return known;
}

function commonOptions(query: Query, userAgent: string, found: FieldErrors): WriteOptions {
  const fieldManager = query.text('fieldManager');
  checkFieldManager(fieldManager, found);
  const dryRun = checkDryRun(query.all('dryRun'), found);
  const validation = query.text('fieldValidation');
  if (!(VALIDATIONS as readonly string[]).includes(validation))
    found.notSupported(FIELD_VALIDATION, validation, VALIDATIONS);
  return {
    dryRun,
    fieldManager: fieldManager === '' ? managerOf(userAgent) : fieldManager,
    fieldValidation: validation === '' ? 'Warn' : (validation as FieldValidation),
  };
}

function checkFieldManager(name: string, found: FieldErrors): void {
  if (Buffer.byteLength(name) > FIELD_MANAGER_BYTES_MAX) found.tooLong(FIELD_MANAGER, FIELD_MANAGER_BYTES_MAX);
  let position = 0;
  for (const c of name) {
    if (!PRINTABLE.test(c)) {
      const code = c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
      found.add(
        'FieldValueInvalid',
        FIELD_MANAGER,
        `Invalid value: ${quoted(name)}: invalid character U+${code} (at position ${position})`,
      );
      return;
    }
    position += Buffer.byteLength(c);
  }
}

/** Letters, marks, numbers, punctuation, symbols and the plain space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** A string in quotes with the escapes of kube-apiserver (`\x00`, not `\u0000`). */
function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(/\\u00([01][0-9a-f])/g, '\\x$1')
    .replace(/\u007f/g, '\\x7f');
}

/** The part of a user agent before the first slash, which names the field manager. */
export function managerOf(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  let name = '';
  for (const c of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!PRINTABLE.test(c)) continue;
    if (Buffer.byteLength(name) + Buffer.byteLength(c) > FIELD_MANAGER_BYTES_MAX) break;
    name += c;
  }
  return name;
}

/** The DeleteOptions of a body or a query. */
export interface DeleteWish {
  readonly dryRun: readonly string[];
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly ignoreStoreReadError: boolean;
}

export function deleteWishOfQuery(query: Query): DeleteWish {
  return {
    dryRun: query.all('dryRun'),
    gracePeriodSeconds: query.integer('gracePeriodSeconds'),
    preconditions: preconditionsOf(query),
    propagationPolicy: query.has('propagationPolicy') ? query.text('propagationPolicy') : undefined,
    orphanDependents: query.optionalFlag('orphanDependents'),
    ignoreStoreReadError: query.flag('ignoreStoreReadErrorWithClusterBreakingPotential'),
  };
}

/** `uid` and `resourceVersion` of a query are preconditions, in a deletion of a collection, too. */
function preconditionsOf(query: Query): DeleteWish['preconditions'] {
  const [uid, resourceVersion] = [query.text('uid'), query.text('resourceVersion')];
  if (uid === '' && resourceVersion === '') return undefined;
  return { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) };
}

/** The options of a deletion of a collection, which cannot be unsafe. */
export function checkedCollectionOptions(wish: DeleteWish, unsafe: boolean): DeleteOptions {
  if (unsafe && wish.ignoreStoreReadError) {
    const found = new FieldErrors();
    found.invalid(UNSAFE, true, 'is not allowed with DELETECOLLECTION, try again after removing the option');
    refuse('DeleteOptions', found);
  }
  return checkedDeleteOptions(wish, unsafe);
}

/** `unsafe`: whether the gate of unsafe deletions is open. Without it the option is ignored. */
export function checkedDeleteOptions(wish: DeleteWish, unsafe: boolean): DeleteOptions {
  const found = new FieldErrors();
  const known = checkPropagation(wish.propagationPolicy, wish.orphanDependents, found);
  const dryRun = checkDryRun(wish.dryRun, found);
  if (unsafe) checkUnsafe(wish, found);
  refuse('DeleteOptions', found);
  return {
    dryRun,
    ...(wish.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: wish.gracePeriodSeconds }),
    ...(wish.preconditions === undefined ? {} : { preconditions: wish.preconditions }),
    ...(known === undefined ? {} : { propagationPolicy: known }),
    ...(wish.orphanDependents === undefined ? {} : { orphanDependents: wish.orphanDependents }),
    ignoreStoreReadError: unsafe && wish.ignoreStoreReadError,
  };
}

/** An unsafe deletion removes an object that cannot be read. It excludes all options that require the object to be read. */
function checkUnsafe(wish: DeleteWish, found: FieldErrors): void {
  if (!wish.ignoreStoreReadError) return;
  const beside: readonly (readonly [string, boolean])[] = [
    ['propagationPolicy', wish.propagationPolicy !== undefined],
    ['orphanDependents', wish.orphanDependents !== undefined],
    ['gracePeriodSeconds', wish.gracePeriodSeconds !== undefined],
    ['preconditions', wish.preconditions !== undefined],
  ];
  for (const [name, given] of beside) if (given) found.invalid(UNSAFE, true, `cannot be set together with .${name}`);
}

/** The options of list, watch and deletecollection. Only parse errors are reported here. */
export function listOptions(query: Query): ListOptions {
  if (query.empty) return EVERYTHING;
  // Parsed for its error only: a list ignores it, and a watch reads it itself.
  query.integer('timeoutSeconds');
  return {
    labelSelector: query.text('labelSelector'),
    fieldSelector: query.text('fieldSelector'),
    resourceVersion: query.text('resourceVersion'),
    resourceVersionMatch: query.text('resourceVersionMatch'),
    limit: query.integer('limit') ?? 0,
    continue: query.text('continue'),
    shardSelector: query.text('shardSelector'),
    sendInitialEvents: query.optionalFlag('sendInitialEvents'),
  };
}

/**
 * Which objects a deletecollection deletes. kube-apiserver reads them in pages, and a page of a resource version is of exactly that version:
 * `resourceVersion` without `resourceVersionMatch` means the same as in a list with a limit.
 */
export function collectionOptions(query: Query): ListOptions {
  const options = listOptions(query);
  const isOpen = options.limit === 0 && options.continue === '' && options.resourceVersionMatch === '';
  return isOpen && /^0*[1-9]\d*$/.test(options.resourceVersion)
    ? { ...options, resourceVersionMatch: 'Exact' }
    : options;
}

function refuse(kind: string, found: FieldErrors): void {
  if (!found.empty) throw errors.invalid({ group: 'meta.k8s.io', kind }, '', found.list);
}
