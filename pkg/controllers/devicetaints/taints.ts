import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../../api/index.js';
import { metaOf } from '../meta.js';
import { timeOf } from '../pods.js';

/** The taints that evict the pods of a claim, and the time of the eviction. */

export interface TaintSources {
  /** ResourceSlices of all generations. */
  readonly slices: readonly JsonObject[];
  readonly rules: readonly JsonObject[];
}

export interface Eviction {
  /** Milliseconds. */
  readonly when: number;
  /** The uids of the rules that cause it. Taints of slices have none. */
  readonly rules: ReadonlySet<string>;
}

interface Taint {
  readonly taint: JsonObject;
  readonly rule: string;
}

/**
 * The time at which the pods of an allocated claim are evicted; undefined if all taints of its devices are tolerated
 * forever.
 */
export function evictionOf(claim: JsonObject, sources: TaintSources): Eviction | undefined {
  let when = Number.POSITIVE_INFINITY;
  const rules = new Set<string>();
  for (const device of devicesOf(claim))
    for (const { taint, rule } of taintsOf(device, sources)) {
      const time = evictionTime(taint, objectsAt(device, 'tolerations'));
      if (time === undefined) continue;
      when = Math.min(when, time);
      if (rule !== '') rules.add(rule);
    }
  return Number.isFinite(when) ? { when, rules } : undefined;
}

export const devicesOf = (claim: JsonObject): readonly JsonObject[] =>
  objectsAt(claim, 'status', 'allocation', 'devices', 'results');

function* taintsOf(device: JsonObject, { slices, rules }: TaintSources): Iterable<Taint> {
  for (const published of currentSlices(slices, device))
    for (const { taints } of objectsAt(published, 'spec', 'devices').filter((d) => d['name'] === device['device']))
      for (const taint of Array.isArray(taints) ? (taints as JsonObject[]) : [])
        if (textAt(taint, 'effect') === 'NoExecute') yield { taint, rule: '' };
  for (const rule of rules)
    if (textAt(rule, 'spec', 'taint', 'effect') === 'NoExecute' && selects(rule, device))
      yield { taint: objectAt(rule, 'spec', 'taint'), rule: metaOf(rule).uid };
}

/** The slices of a device's pool with its newest generation. */
function currentSlices(slices: readonly JsonObject[], device: JsonObject): readonly JsonObject[] {
  const generation = (slice: JsonObject): number => numberAt(slice, 'spec', 'pool', 'generation');
  const pool = slices.filter(
    (slice) =>
      textAt(slice, 'spec', 'driver') === textAt(device, 'driver') &&
      textAt(slice, 'spec', 'pool', 'name') === textAt(device, 'pool'),
  );
  const newest = Math.max(...pool.map(generation));
  return pool.filter((slice) => generation(slice) === newest);
}

/**
 * Reports whether a rule selects a device `{driver, pool, device}`. A rule without a selector selects none, an empty
 * selector all.
 */
export function selects(rule: JsonObject, device: JsonObject): boolean {
  const selector = objectAt(rule, 'spec')['deviceSelector'];
  if (selector === undefined) return false;
  return ['driver', 'pool', 'device'].every((field) => {
    const wanted = objectAt(rule, 'spec', 'deviceSelector')[field];
    return wanted === undefined || wanted === device[field];
  });
}

/** Milliseconds; undefined if the taint is tolerated forever. */
function evictionTime(taint: JsonObject, tolerations: readonly JsonObject[]): number | undefined {
  const added = timeOf(textAt(taint, 'timeAdded')) ?? 0;
  let seconds = Number.POSITIVE_INFINITY;
  for (const toleration of tolerations) {
    if (!tolerates(toleration, taint)) continue;
    if (toleration['tolerationSeconds'] === undefined) return undefined;
    seconds = Math.min(seconds, Math.max(0, numberAt(toleration, 'tolerationSeconds')));
  }
  return Number.isFinite(seconds) ? added + seconds * 1000 : added;
}

function tolerates(toleration: JsonObject, taint: JsonObject): boolean {
  const effect = textAt(toleration, 'effect');
  if (effect !== '' && effect !== textAt(taint, 'effect')) return false;
  const key = textAt(toleration, 'key');
  if (key !== '' && key !== textAt(taint, 'key')) return false;
  switch (textAt(toleration, 'operator')) {
    case '':
    case 'Equal':
      return textAt(toleration, 'value') === textAt(taint, 'value');
    case 'Exists':
      return true;
    default:
      return false;
  }
}
