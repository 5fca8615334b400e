import {
  type AdmissionObjects,
  type AdmissionRequest,
  type AdmissionSubject,
  ApiError,
  apiVersionOf,
  type JsonObject,
  type JsonValue,
  type LabelRequirement,
  type LabelSelector,
  listAt,
  matchesLabels,
  objectAt,
  objectsAt,
  type StoredObjects,
  textAt,
} from '../../api/index.js';

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** The requirements of a LabelSelector object. An absent or empty one selects everything. */
export function selectorOf(selector: JsonValue | undefined): LabelSelector {
  const labels = Object.entries(objectAt(selector, 'matchLabels'));
  return [
    ...labels.map(([key, value]): LabelRequirement => ({ key, operator: '=', values: [String(value)] })),
    ...objectsAt(selector, 'matchExpressions').map((e): LabelRequirement => {
      const operator = OPERATORS[textAt(e, 'operator')] ?? 'in';
      return { key: textAt(e, 'key'), operator, values: listAt(e, 'values').map(String).sort() };
    }),
  ];
}

function labelsOf(o: JsonObject): Readonly<Record<string, string>> {
  return objectAt(o, 'metadata', 'labels') as Readonly<Record<string, string>>;
}

const includes = (list: readonly string[], value: string) => list.includes('*') || list.includes(value);
const textsAt = (rule: JsonObject, field: string) => listAt(rule, field).map(String);

/** Whether a rule names this resource, in the version of `subject`. */
function ruleMatches(rule: JsonObject, request: AdmissionRequest, subject: AdmissionSubject): boolean {
  const operation = request.operation.toUpperCase();
  const { group, version, resource } = subject.resource;
  if (!includes(textsAt(rule, 'operations'), operation)) return false;
  if (!includes(textsAt(rule, 'apiGroups'), group) || !includes(textsAt(rule, 'apiVersions'), version)) return false;
  if (!scopeMatches(textAt(rule, 'scope'), request)) return false;
  const names = textsAt(rule, 'resourceNames');
  if (names.length > 0 && !names.includes(requestName(request))) return false;
  return textsAt(rule, 'resources').some((pattern) => resourceMatches(pattern, resource, request.subresource));
}

/** The name in the request. Generated names are not available yet. */
function requestName(request: AdmissionRequest): string {
  const generated = request.operation === 'create' && textAt(request.object, 'metadata', 'generateName') !== '';
  return generated ? '' : request.name;
}

function scopeMatches(scope: string, { namespace, groupResource }: AdmissionRequest): boolean {
  if (scope === '' || scope === '*') return true;
  const isNamespaced = namespace !== '' && !(groupResource.group === '' && groupResource.resource === 'namespaces');
  return (scope === 'Namespaced') === isNamespaced;
}

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const [want, wantSub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  if (want !== '*' && want !== resource) return false;
  return wantSub === '*' || wantSub === subresource;
}

/** The constraints of a policy, of a binding, or of a webhook. */
export interface MatchConstraints {
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly rules: readonly JsonObject[];
  readonly excludeRules: readonly JsonObject[];
  /** Whether rules also match the resource in other versions. */
  readonly equivalent: boolean;
}

export function matchConstraintsOf(match: JsonValue | undefined): MatchConstraints {
  return {
    namespaceSelector: selectorOf(objectAt(match, 'namespaceSelector')),
    objectSelector: selectorOf(objectAt(match, 'objectSelector')),
    rules: objectsAt(match, 'resourceRules'),
    excludeRules: objectsAt(match, 'excludeResourceRules'),
    equivalent: textAt(match, 'matchPolicy') !== 'Exact',
  };
}

/** Returns the version of the resource that the constraints match, or undefined. */
export function matchedSubject(
  constraints: MatchConstraints,
  request: AdmissionRequest,
  objects: StoredObjects,
): AdmissionSubject | undefined {
  if (!namespaceMatches(constraints.namespaceSelector, request, objects)) return undefined;
  if (!objectMatches(constraints.objectSelector, request)) return undefined;
  if (ruleSubject(constraints.excludeRules, constraints.equivalent, request) !== undefined) return undefined;
  if (constraints.rules.length === 0) return request.requested;
  return ruleSubject(constraints.rules, constraints.equivalent, request);
}

function ruleSubject(
  rules: readonly JsonObject[],
  equivalent: boolean,
  request: AdmissionRequest,
): AdmissionSubject | undefined {
  if (rules.some((rule) => ruleMatches(rule, request, request.requested))) return request.requested;
  if (!equivalent || rules.length === 0) return undefined;
  for (const rule of rules)
    for (const subject of request.equivalents) if (ruleMatches(rule, request, subject)) return subject;
  return undefined;
}

/** Cluster-scoped objects match any namespace selector. A Namespace matches by its own labels. */
function namespaceMatches(selector: LabelSelector, request: AdmissionRequest, objects: StoredObjects): boolean {
  if (selector.length === 0) return true;
  const { groupResource, operation } = request;
  if (groupResource.group === '' && groupResource.resource === 'namespaces') {
    // A write of a Namespace matches by its new labels.
    const isWrite = (operation === 'create' || operation === 'update') && request.subresource === '';
    if (isWrite && request.object !== undefined) return matchesLabels(selector, labelsOf(request.object));
    const stored = request.old ?? objects.cached({ group: '', resource: 'namespaces' }, '', request.name);
    return matchesLabels(selector, stored === undefined ? {} : labelsOf(stored));
  }
  if (request.namespace === '') return true;
  const namespace = objects.cached({ group: '', resource: 'namespaces' }, '', request.namespace);
  return matchesLabels(selector, namespace === undefined ? {} : labelsOf(namespace));
}

/** Whether the new or the old object matches. */
function objectMatches(selector: LabelSelector, { object, old }: AdmissionRequest): boolean {
  if (selector.length === 0) return true;
  return [object, old].some((o) => o !== undefined && matchesLabels(selector, labelsOf(o)));
}

/** The objects of a request could not be brought to the matched version, so that nothing can decide about them. */
export class ConversionFailure extends Error {}

/** Returns the objects in the matched version. Throws `ConversionFailure` if the converter of the kind fails. */
export async function objectsIn(request: AdmissionRequest, subject: AdmissionSubject): Promise<AdmissionObjects> {
  const { group, version } = subject.kind;
  try {
    const found = await request.inVersion(apiVersionOf({ group, version }));
    return found ?? { subject, object: request.object, old: request.old };
  } catch (error) {
    throw error instanceof ApiError && error.status.code === 500 ? new ConversionFailure(error.message) : error;
  }
}
