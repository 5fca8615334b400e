import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  compareQuantities,
  formatQuantity,
  isObject,
  type JsonObject,
  objectAt,
  objectIn,
  objectsAt,
  parseQuantity,
  type StoredObjects,
  setOwn,
  textAt,
} from '../api/index.js';
import { type Amounts, amountsAt, podAmounts } from './podamounts.js';
import { forbidden, isAbout, newPod } from './step.js';

const RANGES = { group: '', resource: 'limitranges' } as const;
const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Applies the limit ranges of a namespace: default requests and limits of containers, and minimum, maximum and ratio checks. */
export function limitRangerStep(objects: StoredObjects): AdmissionStep {
  return {
    name: 'LimitRanger',
    mutate: (request) => {
      const made = newPod(request);
      const pod = made ?? resizedPod(request);
      if (pod === undefined) return;
      for (const range of objects.list(RANGES, request.namespace)) {
        const notes = fillIn(pod, range);
        if (made !== undefined && notes.length > 0) note(made, notes);
      }
    },
    // The containers and resources of an existing pod change only through resize.
    validate: (request) => {
      const pod = newPod(request) ?? resizedPod(request);
      const claim = pod === undefined ? claimOf(request) : undefined;
      if (pod === undefined && claim === undefined) return;
      for (const range of objects.list(RANGES, request.namespace)) {
        const found = new Set(pod === undefined ? claimProblems(claim!, range) : podProblems(pod, range));
        if (found.size === 0) continue;
        const why = found.size === 1 ? [...found][0]! : `[${[...found].join(', ')}]`;
        throw forbidden(request, why);
      }
    },
  };
}

function resizedPod({ operation, groupResource, subresource, object }: AdmissionRequest): JsonObject | undefined {
  const { group, resource } = groupResource;
  const resize = group === '' && resource === 'pods' && subresource === 'resize';
  return resize && operation === 'update' ? object : undefined;
}

function claimOf(request: AdmissionRequest): JsonObject | undefined {
  if (request.operation !== 'create' && request.operation !== 'update') return undefined;
  if (!isAbout(request, '', 'persistentvolumeclaims')) return undefined;
  return at(request.object, 'metadata', 'deletionTimestamp') === undefined ? request.object : undefined;
}

const limitsOf = (range: JsonObject, type: string): readonly JsonObject[] =>
  objectsAt(range, 'spec', 'limits').filter((l) => textAt(l, 'type') === type);

/** Sets container defaults; returns a description of the change for each changed container. */
function fillIn(pod: JsonObject, range: JsonObject): readonly string[] {
  const limits = Object.assign({}, ...limitsOf(range, 'Container').map((l) => objectAt(l, 'default'))) as JsonObject;
  const requests = Object.assign(
    {},
    ...limitsOf(range, 'Container').map((l) => objectAt(l, 'defaultRequest')),
  ) as JsonObject;
  const notes: string[] = [];
  for (const [list, called] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    for (const c of objectsAt(pod, 'spec', list)) {
      const tell = (kind: string, names: readonly string[]): void => {
        if (names.length > 0) notes.push(`${names.join(', ')} ${kind} for ${called} ${textAt(c, 'name')}`);
      };
      const setLimits = merge(c, 'limits', limits);
      tell('request', merge(c, 'requests', requests));
      tell('limit', setLimits);
    }
  }
  return notes;
}

function note(pod: JsonObject, notes: readonly string[]): void {
  const annotations = objectIn(objectIn(pod, 'metadata'), 'annotations');
  annotations[ANNOTATION] = `LimitRanger plugin set: ${notes.join('; ')}`;
}

/** Adds missing resources; returns their names, sorted. */
function merge(container: JsonObject, kind: 'limits' | 'requests', defaults: JsonObject): readonly string[] {
  const given = objectAt(container, 'resources', kind);
  const missing = Object.keys(defaults).filter((name) => !Object.hasOwn(given, name));
  if (missing.length === 0) return [];
  const into = objectIn(objectIn(container, 'resources'), kind);
  for (const name of missing) setOwn(into, name, defaults[name]!);
  return missing.sort();
}

interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function* podProblems(pod: JsonObject, range: JsonObject): Iterable<string> {
  for (const limit of objectsAt(range, 'spec', 'limits')) {
    const type = textAt(limit, 'type');
    if (type === 'Container') {
      for (const list of ['containers', 'initContainers'] as const)
        for (const c of objectsAt(pod, 'spec', list))
          yield* problems(limit, type, {
            requests: amountsAt(c, 'resources', 'requests'),
            limits: amountsAt(c, 'resources', 'limits'),
          });
    } else if (type === 'Pod') {
      yield* problems(limit, type, { requests: podAmounts(pod, 'requests'), limits: podAmounts(pod, 'limits') });
    }
  }
}

function* problems(limit: JsonObject, type: string, { requests, limits }: Asked): Iterable<string> {
  for (const [name, bound] of amountsAt(limit, 'min')) {
    const [request, most] = [requests.get(name), limits.get(name)];
    const said = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`;
    if (request === undefined) yield `${said}.  No request is specified`;
    else if (compareQuantities(request, bound) < 0) yield `${said}, but request is ${formatQuantity(request)}`;
    else if (most !== undefined && compareQuantities(most, bound) < 0)
      yield `${said}, but limit is ${formatQuantity(most)}`;
  }
  for (const [name, bound] of amountsAt(limit, 'max')) {
    const [request, most] = [requests.get(name), limits.get(name)];
    const said = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
    if (most === undefined) yield `${said}.  No limit is specified`;
    else if (compareQuantities(most, bound) > 0) yield `${said}, but limit is ${formatQuantity(most)}`;
    else if (request !== undefined && compareQuantities(request, bound) > 0)
      yield `${said}, but request is ${formatQuantity(request)}`;
  }
  for (const [name, bound] of amountsAt(limit, 'maxLimitRequestRatio')) {
    const [request, most] = [requests.get(name), limits.get(name)];
    const said = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`;
    if (request === undefined || request.nanos === 0n) yield `${said}, but no request is specified or request is 0`;
    else if (most === undefined || most.nanos === 0n) yield `${said}, but no limit is specified or limit is 0`;
    else {
      const ratio = Number(most.nanos) / Number(request.nanos);
      if (ratio * 1e9 > Number(bound.nanos)) yield `${said}, but provided ratio is ${ratio.toFixed(6)}`;
    }
  }
}

/** A claim has requests and no limits. */
function* claimProblems(claim: JsonObject, range: JsonObject): Iterable<string> {
  const requests = objectAt(claim, 'spec', 'resources', 'requests');
  for (const limit of limitsOf(range, 'PersistentVolumeClaim')) {
    for (const [field, word, wrong] of [
      ['min', 'minimum', -1],
      ['max', 'maximum', 1],
    ] as const) {
      for (const [name, bound] of amountsAt(limit, field)) {
        const request = isObject(requests) ? parseQuantity(textAt(requests, name)) : undefined;
        const said = `${word} ${name} usage per PersistentVolumeClaim is ${formatQuantity(bound)}`;
        if (request === undefined) yield `${said}.  No request is specified`;
        else if (compareQuantities(request, bound) === wrong)
          yield `${said}, but request is ${formatQuantity(request)}`;
      }
    }
  }
}
