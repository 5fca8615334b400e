import {
  at,
  cloneJson,
  equalJson,
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../api/index.js';
import { coverageOf } from '../covers.js';
import { rulesOf } from '../rules.js';
import { AUTOUPDATE } from './spec.js';

/** The change after which an existing object grants the expected permissions. */
export type Reconciliation =
  | { readonly kind: 'none' }
  | { readonly kind: 'update'; readonly object: JsonObject }
  /** A binding that refers to another role: its role cannot be changed in place. */
  | { readonly kind: 'recreate'; readonly object: JsonObject };

/**
 * Adds the rules, labels and annotations of the expected role to an existing one. Additional permissions stay. An
 * object with `rbac.authorization.kubernetes.io/autoupdate: "false"` is not changed.
 */
export function reconcileRole(existing: JsonObject, expected: JsonObject): Reconciliation {
  if (isProtected(existing)) return NONE;
  const next = cloneJson(existing);
  addMetadata(next, expected);
  const coverage = coverageOf(rulesOf(existing), rulesOf(expected));
  if (coverage.kind === 'missing')
    next['rules'] = [...listAt(next, 'rules'), ...coverage.rules.map((rule) => ruleObject({ ...rule }))];
  const wanted = objectsAt(expected, 'aggregationRule', 'clusterRoleSelectors');
  if (wanted.length === 0) delete next['aggregationRule'];
  else {
    const there = objectsAt(existing, 'aggregationRule', 'clusterRoleSelectors');
    const missing = wanted.filter((selector) => !there.some((s) => equalJson(s, selector)));
    if (missing.length > 0) next['aggregationRule'] = { clusterRoleSelectors: [...there, ...missing] };
  }
  return equalJson(next, existing) ? NONE : { kind: 'update', object: next };
}

/** Adds missing subjects, labels and annotations; a binding to another role is recreated. */
export function reconcileBinding(existing: JsonObject, expected: JsonObject): Reconciliation {
  if (isProtected(existing)) return NONE;
  const next = cloneJson(existing);
  addMetadata(next, expected);
  const there = objectsAt(existing, 'subjects');
  const missing = objectsAt(expected, 'subjects').filter((subject) => !there.some((s) => equalJson(s, subject)));
  if (missing.length > 0) next['subjects'] = [...there, ...missing];
  if (!equalJson(objectAt(existing, 'roleRef'), objectAt(expected, 'roleRef'))) {
    next['roleRef'] = cloneJson(objectAt(expected, 'roleRef'));
    return { kind: 'recreate', object: next };
  }
  return equalJson(next, existing) ? NONE : { kind: 'update', object: next };
}

const NONE: Reconciliation = { kind: 'none' };

const isProtected = (o: JsonObject): boolean => textAt(o, 'metadata', 'annotations', AUTOUPDATE) === 'false';

/** Labels and annotations of the existing object win. */
function addMetadata(o: JsonObject, expected: JsonObject): void {
  const metadata = at(o, 'metadata');
  if (!isObject(metadata)) return;
  for (const field of ['labels', 'annotations'] as const) {
    const merged = { ...objectAt(expected, 'metadata', field), ...objectAt(o, 'metadata', field) };
    if (Object.keys(merged).length > 0) metadata[field] = merged;
  }
}

function ruleObject(rule: Readonly<Record<string, readonly string[]>>): JsonObject {
  return Object.fromEntries(
    Object.entries(rule).flatMap(([field, list]) => (list.length === 0 ? [] : [[field, [...list]]])),
  ) as JsonObject;
}
