import { cloneJson, type FieldErrors, FieldPath, isObject, type JsonObject } from '../../../../api/index.js';
import { equalAs } from '../../../../schema/index.js';
import type { Subresource } from '../../../resource.js';
import { at, objectAt, objectsAt, textAt } from '../../access.js';
import { keep } from '../../form.js';
import { keepAllBut, part } from './parts.js';
import { qosClass } from './qos.js';
import { validatePodSpec } from './validation/index.js';

/** The resize subresource changes the CPU and memory of a running pod's containers, and nothing else. */

const SPEC = FieldPath.of('spec');
const LISTS = ['containers', 'initContainers'] as const;
const KINDS = ['requests', 'limits'] as const;
const MUTABLE = ['cpu', 'memory'];

export const resize: Subresource = part({
  update: {
    prepare: (o, old) =>
      keepAllBut(o, old, (spec, wanted) => {
        for (const list of LISTS) takeResources(spec, wanted, list);
        if (wanted['resources'] !== undefined) spec['resources'] = cloneJson(wanted['resources']);
      }),
    validate: (o, old, errors) => {
      const never = neverResized(old);
      if (never !== undefined) {
        // An error of the whole pod has no field.
        errors.forbidden(FieldPath.root.key(''), `${never} pods cannot be resized`);
        return;
      }
      validatePodSpec(o, old, errors);
      const before = textAt(old, 'status', 'qosClass') || qosClass(objectAt(old, 'spec'));
      if (qosClass(objectAt(o, 'spec')) !== before)
        errors.invalid(SPEC, before, 'Pod QOS Class may not change as a result of resizing');
      if (!nodeCan(old)) errors.forbidden(SPEC, 'Pod running on node without support for resize');
      if (!sameContainers(o, old, errors)) return;
      nothingRemoved(o, old, errors);
      onlyMutable(o, old, errors);
    },
  },
});

/** Takes resources and resize policies from `wanted`. A list of other containers is taken whole, so that validation rejects it. */
function takeResources(spec: JsonObject, wanted: JsonObject, list: (typeof LISTS)[number]): void {
  const [containers, given] = [objectsAt(spec, list), objectsAt(wanted, list)];
  const same = given.length === containers.length && given.every((c, i) => nameOf(c) === nameOf(containers[i]!));
  if (!same) spec[list] = cloneJson(wanted[list] ?? []);
  else
    for (const [i, c] of containers.entries())
      for (const field of ['resources', 'resizePolicy'] as const) keep(field, c, given[i]!);
}

const nameOf = (c: JsonObject): string => textAt(c, 'name');

function neverResized(old: JsonObject): 'static' | 'windows' | undefined {
  if (at(old, 'metadata', 'annotations', 'kubernetes.io/config.mirror') !== undefined) return 'static';
  return textAt(old, 'spec', 'os', 'name') === 'windows' ? 'windows' : undefined;
}

/** A node that supports resize reports the resources of its running containers. */
function nodeCan(old: JsonObject): boolean {
  const running = objectsAt(old, 'status', 'containerStatuses').find((c) => isObject(at(c, 'state', 'running')));
  return running === undefined || isObject(at(running, 'resources'));
}

function sameContainers(o: JsonObject, old: JsonObject, errors: FieldErrors): boolean {
  let same = true;
  const refuse = (path: FieldPath, what: string): void => {
    same = false;
    errors.forbidden(path, what);
  };
  for (const list of LISTS) {
    const [now, before] = [objectsAt(o, 'spec', list), objectsAt(old, 'spec', list)];
    if (now.length !== before.length) refuse(SPEC.child(list), `${list} may not be added or removed on resize`);
    else
      for (const [i, c] of before.entries())
        if (nameOf(now[i]!) !== nameOf(c))
          refuse(SPEC.child(list).index(i).child('name'), `${list} may not be renamed or reordered on resize`);
  }
  return same;
}

/** Existing requests and limits may change but not be removed. */
function nothingRemoved(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [i, before] of objectsAt(old, 'spec', list).entries()) {
      const now = objectsAt(o, 'spec', list)[i];
      for (const kind of KINDS) {
        const names = Object.keys(objectAt(before, 'resources', kind));
        if (names.some((n) => at(now, 'resources', kind, n) === undefined))
          errors.forbidden(SPEC.child(list).index(i).child('resources', kind), `resource ${kind} cannot be removed`);
      }
    }
  }
}

function onlyMutable(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  for (const list of LISTS) {
    for (const [i, before] of objectsAt(old, 'spec', list).entries()) {
      const now = objectsAt(o, 'spec', list)[i]!;
      const sidecar = textAt(now, 'restartPolicy') === 'Always';
      if (list === 'containers') {
        if (changedBeyond(now, before)) errors.forbidden(SPEC, 'only cpu and memory resources are mutable');
      } else if (sidecar) {
        if (changedBeyond(now, before))
          errors.forbidden(SPEC, 'only cpu and memory resources for sidecar containers are mutable');
      } else if (!equalAs('core/v1.Container', plain(now), plain(before)))
        errors.forbidden(SPEC, 'resources for non-sidecar init containers are immutable');
    }
  }
}

/** Whether more than CPU and memory quantities changed. */
function changedBeyond(now: JsonObject, before: JsonObject): boolean {
  const claims = at(now, 'resources', 'claims');
  const resources: JsonObject = claims === undefined ? {} : { claims };
  for (const kind of KINDS) {
    // A new value is allowed where there was none.
    if (at(before, 'resources', kind) === undefined) continue;
    const amounts = { ...objectAt(now, 'resources', kind) };
    for (const name of MUTABLE) {
      const was = at(before, 'resources', kind, name);
      if (was === undefined) delete amounts[name];
      else amounts[name] = was;
    }
    resources[kind] = amounts;
  }
  return !equalAs('core/v1.Container', plain({ ...now, resources }), plain(before));
}

/** An empty resource list counts as absent. */
function plain(c: JsonObject): JsonObject {
  const resources = Object.entries(objectAt(c, 'resources')).filter(
    ([, v]) => !isObject(v) || Object.keys(v).length > 0,
  );
  return { ...c, resources: Object.fromEntries(resources) };
}
