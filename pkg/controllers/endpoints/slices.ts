import { equalJson, isObject, type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../api/index.js';

/** Slices of endpoints as values: their ports, and the distribution of endpoints over few slices with few writes. */

export const SLICES = 'endpointslices.discovery.k8s.io';
export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const HEADLESS = 'service.kubernetes.io/headless';

/** Equal for equivalent lists of ports, in any order. */
export const portsKey = (ports: readonly JsonObject[]): string =>
  ports
    .map((p) => JSON.stringify([textAt(p, 'name'), p['port'] ?? null, textAt(p, 'protocol'), textAt(p, 'appProtocol')]))
    .sort()
    .join();

/** Equal for two versions of the same endpoint. */
export const endpointKey = (endpoint: JsonObject): string =>
  JSON.stringify([
    [...listAt(endpoint, 'addresses')].map(String).sort(),
    textAt(endpoint, 'targetRef', 'namespace'),
    textAt(endpoint, 'targetRef', 'name'),
    textAt(endpoint, 'hostname'),
  ]);

export interface SliceChanges {
  readonly create: JsonObject[];
  readonly update: JsonObject[];
  readonly remove: JsonObject[];
}

export interface Packing {
  /** The existing slices with these ports. */
  readonly present: readonly JsonObject[];
  readonly endpoints: readonly JsonObject[];
  readonly endpointsMax: number;
  /** An empty slice with these ports, without a name. */
  readonly empty: JsonObject;
  /** The labels that slices should have, if those of a slice are wrong. */
  labelsFor(slice: JsonObject): JsonObject | undefined;
}

/**
 * Distributes endpoints over slices: those that are in a slice stay there; new ones fill slices that change anyway,
 * then the slice that they fill best, then new slices.
 */
export function pack({ present, endpoints, endpointsMax, empty, labelsFor }: Packing): SliceChanges {
  const wanted = new Map(endpoints.map((e) => [endpointKey(e), e]));
  const changed: JsonObject[] = [];
  const unchanged: JsonObject[] = [];
  const remove: JsonObject[] = [];
  for (const slice of present) {
    const before = objectsAt(slice, 'endpoints');
    const kept: JsonObject[] = [];
    let differs = false;
    for (const endpoint of before) {
      const key = endpointKey(endpoint);
      const now = wanted.get(key);
      if (now === undefined) continue;
      wanted.delete(key);
      kept.push(now);
      differs ||= !equalJson(now, endpoint);
    }
    const labels = labelsFor(slice);
    if (kept.length === 0 && before.length > 0) remove.push(slice);
    else if (differs || kept.length !== before.length || labels !== undefined)
      changed.push(withEndpoints(slice, kept, labels));
    else unchanged.push(slice);
  }
  const left = [...wanted.values()];
  const fill = (slice: JsonObject): JsonObject => {
    const here = objectsAt(slice, 'endpoints');
    return withEndpoints(slice, [...here, ...left.splice(0, endpointsMax - here.length)]);
  };
  const size = (slice: JsonObject): number => objectsAt(slice, 'endpoints').length;
  const update = changed.sort((a, b) => size(b) - size(a)).map(fill);
  const create: JsonObject[] = [];
  while (left.length > 0) {
    const room = left.length < endpointsMax ? best(unchanged, left.length, endpointsMax) : undefined;
    if (room === undefined) create.push(fill(empty));
    else {
      unchanged.splice(unchanged.indexOf(room), 1);
      update.push(fill(room));
    }
  }
  return { create, update, remove };
}

/** The slice that `count` further endpoints fill best. */
function best(slices: readonly JsonObject[], count: number, max: number): JsonObject | undefined {
  const room = (slice: JsonObject): number => max - objectsAt(slice, 'endpoints').length - count;
  return slices
    .filter((slice) => room(slice) >= 0 && room(slice) < max)
    .sort((a, b) => room(a) - room(b))
    .at(0);
}

export function withEndpoints(slice: JsonObject, endpoints: readonly JsonObject[], labels?: JsonObject): JsonObject {
  const made: JsonObject = { ...slice, endpoints: [...endpoints] };
  if (labels !== undefined) made['metadata'] = { ...objectAt(slice, 'metadata'), labels };
  return made;
}

/**
 * Reuses slices that would be removed for those that would be created: an update costs less than two writes, and
 * clients never see a state without endpoints.
 */
export function recycle({ create, update, remove }: SliceChanges): SliceChanges {
  const result: SliceChanges = { create: [...create], update: [...update], remove: [] };
  for (const slice of remove) {
    const next = result.create.pop();
    if (next === undefined) result.remove.push(slice);
    else {
      const { name, uid, resourceVersion } = objectAt(slice, 'metadata');
      const metadata = objectAt(next, 'metadata');
      result.update.push({
        ...next,
        metadata: { ...metadata, name: name!, uid: uid!, resourceVersion: resourceVersion! },
      });
    }
  }
  return result;
}

export const isManagedBy = (slice: JsonObject, manager: string): boolean =>
  textAt(slice, 'metadata', 'labels', MANAGED_BY) === manager;

export const isOwnedBy = (o: JsonObject, uid: string): boolean =>
  objectsAt(o, 'metadata', 'ownerReferences').some((r) => isObject(r) && textAt(r, 'uid') === uid);
