import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  equalJson,
  errors,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectIn,
  objectsAt,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import { podAmounts } from './podamounts.js';
import { forbidden, isAbout } from './step.js';

/** `default` and `whitelist` of a PodTolerationRestriction configuration. */
export interface TolerationLists {
  readonly default: readonly JsonObject[];
  readonly whitelist: readonly JsonObject[];
}

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const NAMESPACES = { group: '', resource: 'namespaces' } as const;
const MEMORY_PRESSURE = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
} as const;

/** Adds the default tolerations of a namespace to its pods, and rejects tolerations that it does not list. */
export function podTolerationsStep(objects: StoredObjects, cluster?: TolerationLists): AdmissionStep {
  const check = async (request: AdmissionRequest): Promise<void> => {
    const tolerations = objectsAt(request.object, 'spec', 'tolerations');
    if (tolerations.length === 0) return;
    const own = listed(await namespaceOf(request, objects), WHITELIST);
    const whitelist = own ?? cluster?.whitelist ?? [];
    if (whitelist.length === 0 || tolerations.every((t) => whitelist.some((w) => covers(w, t)))) return;
    const scope = own === undefined ? 'cluster' : 'namespace';
    // kube-apiserver returns 500 here, although the client made the mistake.
    throw forbidden(
      request,
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
    );
  };
  const concerns = (request: AdmissionRequest): boolean =>
    (request.operation === 'create' || request.operation === 'update') &&
    isAbout(request, '', 'pods') &&
    request.object !== undefined;
  return {
    name: 'PodTolerationRestriction',
    mutate: async (request) => {
      if (!concerns(request)) return;
      const pod = request.object!;
      const extra: JsonObject[] = [];
      if (request.operation === 'create')
        extra.push(...(listed(await namespaceOf(request, objects), DEFAULTS) ?? cluster?.default ?? []));
      if (!isBestEffort(pod)) extra.push({ ...MEMORY_PRESSURE });
      if (extra.length > 0) {
        const spec = objectIn(pod, 'spec');
        spec['tolerations'] = [...merged([...objectsAt(spec, 'tolerations'), ...extra])];
      }
      await check(request);
    },
    validate: async (request) => {
      if (concerns(request)) await check(request);
    },
  };
}

async function namespaceOf({ namespace }: AdmissionRequest, objects: StoredObjects): Promise<JsonObject> {
  const found = await objects.get(NAMESPACES, '', namespace);
  if (found === undefined) throw errors.notFound(NAMESPACES, namespace);
  return found;
}

/** The tolerations in an annotation; undefined without one. */
function listed(namespace: JsonObject, annotation: string): readonly JsonObject[] | undefined {
  const text = at(namespace, 'metadata', 'annotations', annotation);
  if (typeof text !== 'string') return undefined;
  if (text === '') return [];
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw errors.internal(`annotation ${annotation} of the namespace: ${(error as Error).message}`);
  }
  return objectsAt({ value }, 'value');
}

function isBestEffort(pod: JsonObject): boolean {
  const counts = (kind: 'requests' | 'limits'): boolean =>
    [...podAmounts(pod, kind)].some(([name, { nanos }]) => (name === 'cpu' || name === 'memory') && nanos !== 0n);
  return !counts('requests') && !counts('limits');
}

/** If one of two tolerations covers the other, the wider one is kept; of equal ones the first. */
function merged(all: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  for (const [i, t] of all.entries()) {
    if (kept.some((wide) => covers(wide, t))) continue;
    if (all.slice(i + 1).some((later) => !equalJson(later, t) && covers(later, t))) continue;
    kept.push(t);
  }
  return kept;
}

/** Reports whether `wide` tolerates everything that `t` tolerates. */
function covers(wide: JsonObject, t: JsonObject): boolean {
  if (equalJson(wide, t)) return true;
  const of = (o: JsonObject, field: string): string => textAt(o, field);
  const operator = of(wide, 'operator');
  if (of(t, 'key') !== of(wide, 'key') && (of(wide, 'key') !== '' || operator !== 'Exists')) return false;
  if (of(t, 'effect') !== of(wide, 'effect') && of(wide, 'effect') !== '') return false;
  if (of(wide, 'effect') === 'NoExecute' && wide['tolerationSeconds'] !== undefined) {
    if (t['tolerationSeconds'] === undefined) return false;
    if (numberAt(t['tolerationSeconds']) > numberAt(wide['tolerationSeconds'])) return false;
  }
  if (operator === 'Exists') return true;
  if (operator !== 'Equal' && operator !== '') return false;
  return of(t, 'operator') === 'Equal' && of(t, 'value') === of(wide, 'value');
}
