import {
  compareText,
  getOwn,
  goJsonString,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../api/index.js';
import { type Steps, sortInPlace } from '../../base/index.js';
import { emptySet, equalSets, type FieldSet, parseSet, sortedSteps } from './field-set.js';

export type Operation = 'Apply' | 'Update';

/** A manager and its fields: one entry of metadata.managedFields. */
export interface Owner {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly set: FieldSet;
  /** RFC 3339 with seconds; undefined if the entry has no time. */
  readonly time: string | undefined;
  /** The decoded entry, which is written back unless it changes. */
  readonly source?: JsonObject | undefined;
}

/**
 * Owners by identity: manager and subresource for an Apply entry, also the API version for an Update entry. The key is
 * the JSON of those, because kube-apiserver sorts conflicts and old Update entries by it.
 */
export type Owners = Map<string, Owner>;

export function ownerKey(o: Pick<Owner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  let key = '{';
  if (o.manager !== '') key += `"manager":${goJsonString(o.manager)},`;
  key += `"operation":"${o.operation}"`;
  if (o.operation === 'Update') key += `,"apiVersion":${goJsonString(o.apiVersion)}`;
  if (o.subresource !== '') key += `,"subresource":${goJsonString(o.subresource)}`;
  return `${key}}`;
}

/** Returns the undecoded list of an object; undefined if absent. */
export function managedFieldsOf(o: JsonObject): JsonArray | undefined {
  const metadata = getOwn(o, 'metadata');
  const list = isObject(metadata) ? getOwn(metadata, 'managedFields') : undefined;
  return Array.isArray(list) ? list : undefined;
}

/** Returns the object without metadata.managedFields, which no manager owns; the rest is shared. */
export function withoutManagedFields(o: JsonObject): JsonObject {
  const metadata = getOwn(o, 'metadata');
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return o;
  const { managedFields: _, ...rest } = metadata;
  return { ...o, metadata: rest };
}

/**
 * Decodes the entries; of two with the same identity the last one wins. Throws an Error with kube-apiserver's message.
 *
 * @param stored the entries are those of a stored object: `encodeOwners` wrote them, so their sets are not validated
 */
export function decodeOwners(entries: JsonArray | undefined, stored = false): Owners {
  const owners: Owners = new Map();
  entries?.forEach((entry, i) => {
    const owner = decodeOwner(entry, i, stored);
    owners.set(ownerKey(owner), owner);
  });
  return owners;
}

function decodeOwner(entry: JsonValue, i: number, stored: boolean): Owner {
  const e = isObject(entry) ? entry : {};
  const operation = textOf(e, 'operation');
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  const apiVersion = textOf(e, 'apiVersion');
  if (apiVersion === '') throw new Error('apiVersion must not be empty');
  const type = textOf(e, 'fieldsType');
  if (type === '') throw new Error(`missing fieldsType in managed fields entry ${i}`);
  if (type !== 'FieldsV1') throw new Error(`invalid fieldsType "${type}" in managed fields entry ${i}`);
  const manager = textOf(e, 'manager');
  const subresource = textOf(e, 'subresource');
  const time = textOf(e, 'time');
  const set = readSet(getOwn(e, 'fieldsV1') ?? null, stored);
  return { manager, operation, apiVersion, subresource, set, time: time === '' ? undefined : time, source: e };
}

function readSet(fields: JsonValue, stored: boolean): FieldSet {
  if (stored && isObject(fields)) return fields as FieldSet;
  try {
    return parseSet(fields);
  } catch (error) {
    throw new Error(`error decoding set: ${error instanceof Error ? error.message : 'no field set'}`);
  }
}

function textOf(e: JsonObject, name: string): string {
  const v = getOwn(e, name);
  return typeof v === 'string' ? v : '';
}

/** Like `decodeOwners`, but returns undefined if the entries are invalid. */
export function tryDecodeOwners(entries: JsonArray | undefined, stored: boolean): Owners | undefined {
  try {
    return decodeOwners(entries, stored);
  } catch {
    return undefined;
  }
}

/**
 * Encodes the entries in their order: Apply entries first, then by time, manager, version, subresource. Undefined if
 * there are none.
 */
export function* encodeOwners(owners: Owners): Steps<JsonArray | undefined> {
  if (owners.size === 0) return undefined;
  const entries: JsonArray = [];
  for (const owner of sortInPlace([...owners.values()], compareOwners)) {
    entries.push(yield* encodeOwner(owner));
    yield;
  }
  return entries;
}

/** Runs for each write. The members are set one by one, because spreading objects into a literal takes a hundred times as long. */
function* encodeOwner(o: Owner): Steps<JsonObject> {
  if (o.source !== undefined && isUnchanged(o, o.source)) return o.source;
  const fieldsV1 = yield* sortedSteps(o.set);
  const entry: JsonObject = {};
  if (o.manager !== '') entry['manager'] = o.manager;
  entry['operation'] = o.operation;
  entry['apiVersion'] = o.apiVersion;
  if (o.time !== undefined) entry['time'] = o.time;
  entry['fieldsType'] = 'FieldsV1';
  entry['fieldsV1'] = fieldsV1;
  if (o.subresource !== '') entry['subresource'] = o.subresource;
  return entry;
}

function isUnchanged(o: Owner, source: JsonObject): boolean {
  return (
    o.set === source['fieldsV1'] &&
    o.time === source['time'] &&
    o.apiVersion === source['apiVersion'] &&
    o.operation === source['operation'] &&
    o.manager === (source['manager'] ?? '')
  );
}

function compareOwners(a: Owner, b: Owner): number {
  if (a.operation !== b.operation) return a.operation === 'Apply' ? -1 : 1;
  return (
    (a.time === b.time ? 0 : seconds(a.time) - seconds(b.time)) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** Returns whole seconds since the epoch; 0 if there is no time. */
export function seconds(time: string | undefined): number {
  if (time === undefined) return 0;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** Formats milliseconds since the epoch as in entries. */
export function timeText(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
  }
  return lastText;
}

let lastSecond = 0;
let lastText = '1970-01-01T00:00:00Z';

/** Returns the owner with another set; undefined if the set is empty. */
export function withSet(o: Owner, set: FieldSet): Owner {
  return set === o.set ? o : { ...o, set };
}

/** Reports whether two lists of entries differ in times only. */
export function equalButForTimes(a: JsonArray, b: JsonArray): boolean {
  if (a.length !== b.length) return false;
  return a.every((entry, i) => {
    const other = b[i]!;
    if (entry === other) return true;
    if (!isObject(entry) || !isObject(other)) return false;
    for (const name of ['manager', 'operation', 'apiVersion', 'fieldsType', 'subresource']) {
      if (getOwn(entry, name) !== getOwn(other, name)) return false;
    }
    return equalSets(asSet(getOwn(entry, 'fieldsV1')), asSet(getOwn(other, 'fieldsV1')));
  });
}

function asSet(v: JsonValue | undefined): FieldSet {
  return isObject(v) ? (v as FieldSet) : emptySet;
}
