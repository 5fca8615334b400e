import { type FieldErrors, FieldPath, type JsonObject, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, objectAt, objectIn, objectsAt, textAt } from '../access.js';
import { whenAbsent } from '../defaults.js';

/** Rules of groups of pods and of their templates that the schema does not state. */

type Group = shapes.SchedulingV1beta1PodGroup;
type Composite = Shaped<shapes.SchedulingV1beta1CompositePodGroupTemplate>;
type Templates = Pick<
  shapes.SchedulingV1beta1CompositePodGroupTemplate,
  'podGroupTemplates' | 'compositePodGroupTemplates'
>;

/** A composite template may have two more levels of composite templates below it. */
const DEPTH_MAX = 4;

export function preemptionDefault(o: JsonObject): void {
  whenAbsent(objectIn(o, 'spec'), 'preemptionPolicy', 'PreemptLowerPriority');
}

export function validatePodGroup(o: Shaped<Group>, errors: FieldErrors): void {
  if (at(o, 'spec', 'parentCompositePodGroupName') === undefined || at(o, 'spec', 'workloadRef') !== undefined) return;
  errors.required(
    FieldPath.in<Group>().child('spec', 'workloadRef'),
    'must be set when parentCompositePodGroupName is set',
  );
}

/** Judges the tree of templates: names, depth, one priority, and children of each composite template. */
export function validateWorkload(o: Shaped<shapes.SchedulingV1beta1Workload>, errors: FieldErrors): void {
  const spec = objectAt(o, 'spec') as Shaped<Templates>;
  const path = FieldPath.in<shapes.SchedulingV1beta1Workload>().child('spec') as unknown as FieldPath<Templates>;
  const names = new Set(objectsAt(spec, 'podGroupTemplates').map((t) => textAt(t, 'name')));
  compositeNames(spec, path, names, errors);
  const composites = objectsAt(spec, 'compositePodGroupTemplates') as readonly Composite[];
  for (const [i, template] of composites.entries())
    if (isTooDeep(template, 1))
      errors.invalid(
        path.child('compositePodGroupTemplates').index(i),
        [...objectsAt(template, 'compositePodGroupTemplates')],
        `maximum template hierarchy depth is ${DEPTH_MAX}`,
      );
  onePriority(spec, path, errors);
  for (const [i, template] of composites.entries())
    hasChildren(template, path.child('compositePodGroupTemplates').index(i), errors);
}

/** Names are unique in the whole tree. Repetitions within one list are reported by the schema. */
function compositeNames(
  spec: Shaped<Templates>,
  path: FieldPath<Templates>,
  names: Set<string>,
  errors: FieldErrors,
): void {
  const composites = objectsAt(spec, 'compositePodGroupTemplates') as readonly Composite[];
  const list = path.child('compositePodGroupTemplates');
  addNames(composites, list, names, errors);
  for (const [i, template] of composites.entries()) {
    const here = list.index(i);
    addNames(objectsAt(template, 'podGroupTemplates'), here.child('podGroupTemplates'), names, errors);
    compositeNames(template, here, names, errors);
  }
}

function addNames(
  list: readonly JsonObject[],
  path: FieldPath<readonly { readonly name?: string }[]>,
  names: Set<string>,
  errors: FieldErrors,
): void {
  for (const [i, item] of list.entries())
    if (names.has(textAt(item, 'name'))) errors.duplicate(path.index(i).child('name'), textAt(item, 'name'));
  for (const item of list) names.add(textAt(item, 'name'));
}

function isTooDeep(template: Composite, depth: number): boolean {
  if (depth === DEPTH_MAX) return true;
  const below = objectsAt(template, 'compositePodGroupTemplates') as readonly Composite[];
  return below.some((child) => isTooDeep(child, depth + 1));
}

/** All templates name the same class and the same priority. */
function onePriority(spec: Shaped<Templates>, path: FieldPath<Templates>, errors: FieldErrors): void {
  const all = new Set<string>();
  const add = (t: JsonObject): void =>
    void all.add(JSON.stringify([textAt(t, 'priorityClassName'), at(t, 'priority')]));
  const walk = (composite: Composite): void => {
    add(composite);
    (objectsAt(composite, 'compositePodGroupTemplates') as readonly Composite[]).forEach(walk);
    objectsAt(composite, 'podGroupTemplates').forEach(add);
  };
  objectsAt(spec, 'podGroupTemplates').forEach(add);
  if (all.size > 1) return void errors.invalid(path, null, 'detected multiple priority configurations');
  (objectsAt(spec, 'compositePodGroupTemplates') as readonly Composite[]).forEach(walk);
  if (all.size > 1)
    errors.invalid(path, null, 'all priority and priorityClassName values must be identical, detected multiple values');
}

function hasChildren(
  template: Composite,
  path: FieldPath<shapes.SchedulingV1beta1CompositePodGroupTemplate>,
  errors: FieldErrors,
): void {
  const below = objectsAt(template, 'compositePodGroupTemplates') as readonly Composite[];
  if (below.length === 0 && objectsAt(template, 'podGroupTemplates').length === 0)
    errors.invalid(
      path,
      textAt(template, 'name'),
      'must have at least one child PodGroupTemplate or CompositePodGroupTemplate',
    );
  for (const [i, child] of below.entries())
    hasChildren(child, path.child('compositePodGroupTemplates').index(i), errors);
}
