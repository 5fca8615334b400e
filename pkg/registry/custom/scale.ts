import { at, errors, isObject, type JsonObject, type JsonValue, textAt } from '../../api/index.js';
import type { ScaleUse, Subresource } from '../resource.js';

/** The paths of the fields of a Scale in an object, as field names from the root. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector: readonly string[] | undefined;
}

/** Reads `subresources.scale` of a definition's version. */
export function scalePaths(scale: JsonObject): ScalePaths {
  // Every text after the leading period is a list of names: `.spec.l[0]` names the field `l[0]`.
  const path = (name: string): readonly string[] => textAt(scale, name).replace(/^\./, '').split('.');
  return {
    specReplicas: path('specReplicasPath'),
    statusReplicas: path('statusReplicasPath'),
    labelSelector: textAt(scale, 'labelSelectorPath') === '' ? undefined : path('labelSelectorPath'),
  };
}

/** Replicas that the object does not have, in the base of an update. */
const ABSENT = -(2 ** 31);

/** The replicas of an object without them. */
const MISSING: Readonly<Record<ScaleUse, number | undefined>> = { get: undefined, base: ABSENT, answer: 0 };

/** `autoscaling/v1 Scale` of a custom resource. */
export function customScale({ specReplicas, statusReplicas, labelSelector }: ScalePaths): Subresource {
  const shownPath = `".${specReplicas.join('.')}"`;
  return {
    verbs: ['get', 'patch', 'update'],
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    behaviour: {
      kind: 'scale',
      replicasPath: specReplicas,
      read: (whole, use = 'get') => {
        const replicas = at(whole, ...specReplicas) ?? MISSING[use];
        if (replicas === undefined) throw errors.internal(`the spec replicas field ${shownPath} does not exist`);
        const selector = labelSelector === undefined ? '' : textAt(whole, ...labelSelector);
        const status: JsonObject = { replicas: at(whole, ...statusReplicas) ?? 0 };
        if (selector !== '') status['selector'] = selector;
        const meta = at(whole, 'metadata');
        return {
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          metadata: isObject(meta) ? shown(meta) : {},
          spec: replicas === 0 ? {} : { replicas },
          status,
        };
      },
      // The validation of the object reports negative numbers.
      write: (whole, view) => {
        const wanted = at(view, 'spec', 'replicas') ?? 0;
        if (wanted === ABSENT) throw errors.badRequest(`the spec replicas field ${shownPath} cannot be empty`);
        set(whole, specReplicas, wanted);
      },
    },
  };
}

function shown(meta: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const name of ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'])
    if (meta[name] !== undefined) out[name] = meta[name];
  return out;
}

/** Sets the value at `path`, and adds missing objects on the way. */
function set(o: JsonObject, path: readonly string[], value: JsonValue): void {
  let holder = o;
  for (const name of path.slice(0, -1)) {
    const inner = holder[name];
    if (isObject(inner)) holder = inner;
    else {
      const made: JsonObject = {};
      holder[name] = made;
      holder = made;
    }
  }
  holder[path.at(-1)!] = value;
}
