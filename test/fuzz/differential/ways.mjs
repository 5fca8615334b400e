// The ways in which one change is sent to a server: as a whole object, as a patch of each type, as an apply, to a subresource.
import { applyOps as applyShared } from '../../golden/lib.mjs';

const PATCHES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Kinds without strategic merge answer 415, which is compared like every other response. */
export const WAYS = ['create', 'create', 'update', 'update', 'update', 'merge', 'strategic', 'json', 'apply', 'applyAnew'];

/**
 * The request of `ops` on the object of `place` at server number `i`: `{method, path, headers, body}`, or undefined if the
 * operations cannot be applied. All requests are dry runs.
 */
export function requestOf(way, place, i, ops, query) {
  const { path, name, ns, stored, created } = place;
  const at = (rest, more = '') => `${path}${rest}?dryRun=All${query}${more}`;
  try {
    switch (way) {
      case 'create': {
        const from = { ...created, metadata: { ...created.metadata, name: place.createName } };
        return { method: 'POST', path: at(''), body: applyOps(from, ops) };
      }
      case 'update':
        return { method: 'PUT', path: at(`/${name}`), body: applyOps(stored[i], ops) };
      case 'scale':
        return { method: 'PUT', path: at(`/${name}/scale`), body: applyOps({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, namespace: ns }, spec: { replicas: 1 } }, ops) };
      case 'status':
        return { method: 'PUT', path: at(`/${name}/status`), body: applyOps(stored[i], ops) };
      case 'statusMerge':
        return patch('merge', at(`/${name}/status`), difference(stored[i], applyOps(stored[i], ops)));
      case 'statusApply': {
        const changed = applyOps(stored[i], ops);
        return patch('apply', at(`/${name}/status`, '&fieldManager=fuzz&force=true'), applied(changed, { status: changed.status }));
      }
      case 'json':
        return patch('json', at(`/${name}`), ops);
      case 'merge':
      case 'strategic':
        return patch(way, at(`/${name}`), withDirectives(way, structuredClone(difference(stored[i], applyOps(stored[i], ops))), place));
      case 'apply':
      case 'applyAnew': {
        const target = way === 'apply' ? name : place.createName;
        const { status: _status, ...rest } = applyOps(created, ops);
        return patch('apply', at(`/${target}`, `&fieldManager=fuzz${place.force ? '&force=true' : ''}`), applied({ ...rest, metadata: { ...rest.metadata, name: target } }, rest));
      }
    }
  } catch {
    return undefined; // The second change does not apply after the first one.
  }
}

/** The values of `ops` are copied: a later operation may change an earlier value. */
const applyOps = (base, ops) => applyShared(base, structuredClone(ops));

const patch = (type, path, body) => ({ method: 'PATCH', path, headers: { 'content-type': PATCHES[type] }, body: JSON.stringify(body) });

function applied(object, content) {
  const { name, namespace, labels, annotations, finalizers } = object.metadata ?? {};
  return { ...content, apiVersion: object.apiVersion, kind: object.kind, metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }), ...(annotations && { annotations }), ...(finalizers && { finalizers }) } };
}

/** The merge patch from one object to another. Lists are replaced whole. */
function difference(from, to) {
  const out = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [a, b] = [from[key], to[key]];
    if (JSON.stringify(a) === JSON.stringify(b)) continue;
    const maps = [a, b].every((x) => x !== null && typeof x === 'object' && !Array.isArray(x));
    out[key] = b === undefined ? null : maps ? difference(a, b) : b;
  }
  return out;
}

/** A strategic patch with the directive that the place has drawn, in its first object or list below the top. */
function withDirectives(way, body, { directive }) {
  if (way !== 'strategic' || directive === undefined) return body;
  const spots = [];
  const visit = (o) => {
    for (const [key, v] of Object.entries(o)) {
      if (Array.isArray(v) && v.some((x) => x !== null && typeof x === 'object')) spots.push({ o, key, list: v });
      else if (v !== null && typeof v === 'object') {
        spots.push({ o, key, map: v });
        if (!Array.isArray(v)) visit(v);
      }
    }
  };
  visit(body);
  const spot = spots.at(-1);
  if (spot?.map !== undefined && !Array.isArray(spot.map)) Object.assign(spot.map, directive.map);
  else if (spot?.list !== undefined) spot.o[spot.key] = [...spot.list, directive.item];
  else if (spot !== undefined) {
    // kube-apiserver reads a list and its deletions in random order.
    delete spot.o[spot.key];
    spot.o[`$deleteFromPrimitiveList/${spot.key}`] = spot.map;
  }
  return body;
}

/** Directives of strategic merge patches, for a map and for a list. */
export const DIRECTIVES = [
  undefined,
  undefined,
  { map: { $patch: 'replace' }, item: { $patch: 'replace' } },
  { map: { $patch: 'delete' }, item: { $patch: 'delete', name: 'c' } },
  { map: { $retainKeys: ['type'] }, item: { $patch: 'merge' } },
  { map: { $patch: 'odd' }, item: { $patch: 'odd' } },
];
