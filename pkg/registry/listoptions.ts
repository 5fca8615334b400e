import { errors, FieldErrors, FieldPath, goQuote } from '../api/index.js';
import { revision as asRevision, type Revision } from '../base/index.js';
import type { ListOptions, WatchOptions } from './requests.js';

/** Validation of the combinations of list and watch parameters, with the messages of kube-apiserver. */

const MATCH = FieldPath.of('resourceVersionMatch');
const INITIAL = FieldPath.of('sendInitialEvents');
const SHARDS = FieldPath.of('shardSelector');

function refuse(found: FieldErrors): void {
  if (!found.empty) throw errors.invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', found.list);
}

/** The options of a request without parameters. */
export const EVERYTHING: ListOptions = {
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
  shardSelector: '',
  sendInitialEvents: undefined,
};

export function checkListOptions(o: ListOptions, shardsAllowed: boolean): void {
  if (o.resourceVersionMatch === '' && o.sendInitialEvents === undefined && o.shardSelector === '') return;
  const found = new FieldErrors();
  const match = o.resourceVersionMatch;
  if (match !== '') {
    if (o.resourceVersion === '')
      found.forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided');
    if (o.continue !== '') found.forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided');
    if (match !== 'Exact' && match !== 'NotOlderThan') found.notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']);
    if (match === 'Exact' && o.resourceVersion === '0')
      found.forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (o.sendInitialEvents !== undefined) found.forbidden(INITIAL, 'sendInitialEvents is forbidden for list');
  checkShards(o, shardsAllowed, found);
  refuse(found);
}

/**
 * Applies the defaults of a watch and validates its options. A watch without a version, or from '0', begins with the
 * existing objects.
 */
export function checkedWatchOptions(given: WatchOptions, shardsAllowed: boolean): WatchOptions {
  if (given.byPath === true) {
    checkListOptions(given, shardsAllowed);
    return given;
  }
  const legacy = given.resourceVersion === '' || given.resourceVersion === '0';
  const silent = given.sendInitialEvents === undefined && given.resourceVersionMatch === '';
  const o: WatchOptions =
    legacy && silent ? { ...given, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : given;
  const found = new FieldErrors();
  const match = o.resourceVersionMatch;
  if (o.sendInitialEvents !== undefined && match !== 'NotOlderThan')
    found.forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (match !== '') {
    if (o.sendInitialEvents === undefined)
      found.forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
    if (match !== 'NotOlderThan') found.notSupported(MATCH, match, ['NotOlderThan']);
    if (o.continue !== '') found.forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided');
  }
  checkShards(o, shardsAllowed, found);
  refuse(found);
  return o;
}

function checkShards(o: ListOptions, allowed: boolean, found: FieldErrors): void {
  if (o.shardSelector !== '' && !allowed)
    found.forbidden(SHARDS, 'shardSelector is forbidden unless the ShardedListAndWatch feature gate is enabled');
}

const UINT64_MAX = 2n ** 64n - 1n;

/** Returns the error of Go's parser for a text that is not a resource version, or undefined. */
export function badVersion(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`;
  if (text.length > 20 || BigInt(text) > UINT64_MAX)
    return `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`;
  return undefined;
}

const shownBad = (text: string, bad: string): string => `resourceVersion: Invalid value: ${goQuote(text)}: ${bad}`;

/** Parses a version from a client. Versions beyond the range of revisions become the largest one, which no server reaches. */
export function parseVersion(text: string): Revision {
  const bad = badVersion(text);
  if (bad !== undefined) throw errors.badRequest(shownBad(text, bad));
  return asRevision(Math.min(Number(text), Number.MAX_SAFE_INTEGER));
}

/** Parses the version of a list, or of a get of a kind that kube-apiserver does not cache. */
export function parseListVersion(text: string): Revision {
  const bad = badVersion(text);
  if (bad !== undefined) throw errors.badRequest(`invalid resource version: ${shownBad(text, bad)}`);
  return parseVersion(text);
}
