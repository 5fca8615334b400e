import {
  at,
  cloneJson,
  equalJson,
  isObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { approvalOf, hasValidBundle, headOf, type ServedResource } from '../registry/index.js';
import type { ConditionalPatch } from './cluster.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { type Condition, conditionOf, groupOf, isDefinition, isTrue, placeOf, setCondition } from './definition.js';
import { WorkQueue } from './queue.js';

/**
 * Accepts the names of CustomResourceDefinitions, so that no two in a group share a name, and establishes those whose
 * names are accepted. Processes one group at a time, so that two definitions cannot be accepted for the same name.
 * States in a condition whether a definition in a group of the community is approved.
 */
export function definitionNames(context: ControllerContext): Controller {
  const { cluster, world } = context;
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (key, error) =>
      context.log('definition names controller: will retry', { group: key, error: String(error) }),
  });

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (!isDefinition(resource)) return;
    const stored = after ?? before;
    if (stored !== undefined) queue.add(groupOf(stored));
  }

  async function sync(group: string): Promise<void> {
    const any = placeOf(context, '');
    if (any === undefined) return;
    await cluster.caughtUp();
    // The schemas of hundreds of definitions are not parsed to find their names.
    const all: JsonObject[] = [];
    for (const stored of cluster.known(any.resource, '')) if (groupOf(stored) === group) all.push(headOf(stored).head);
    const taken = new Map<string, string>();
    for (const d of all) for (const name of acceptedNames(d)) taken.set(name, textAt(d, 'metadata', 'name'));
    for (const d of [...all].sort(byAge)) {
      const name = textAt(d, 'metadata', 'name');
      const next = decide(cloneJson(d), taken);
      if (next === undefined) continue;
      for (const n of acceptedNames(next)) taken.set(n, name);
      await cluster.patch({ ...any, name }, 'status', statusPatch(d, next));
    }
  }

  /** Returns the definition with the status that follows from the names in use; undefined if it has that already. */
  function decide(d: JsonObject, taken: ReadonlyMap<string, string>): JsonObject | undefined {
    const name = textAt(d, 'metadata', 'name');
    const spec = isObject(d['spec']) && isObject(d['spec']['names']) ? d['spec']['names'] : {};
    const former = objectAt(d, 'status', 'acceptedNames') ?? {};
    const now = world.clock.now();
    // As in kube-apiserver, a condition that a user has written stays until the names differ.
    let differs = !equalJson(former, spec) && decideNames(d, { name, spec, former, taken, now });
    // The definition is established by an update of its own, as in kube-apiserver: clients may have seen that its names are accepted.
    if (!differs && isTrue(d, 'NamesAccepted') && !isTrue(d, 'Established')) {
      const established = hasValidBundle(d) ? ESTABLISHED : INVALID_BUNDLE;
      if (setCondition(d, established, now)) differs = true;
    }
    const approval = approvalOf(d);
    if (approval !== undefined) {
      const { status, reason } = APPROVALS[approval.state];
      const condition = { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message: approval.message };
      if (setCondition(d, condition, now)) differs = true;
    }
    return differs ? d : undefined;
  }

  return controllerOf('definition-names-controller', cluster, queue, { changed });
}

interface Names {
  readonly name: string;
  readonly spec: JsonObject;
  /** Those that are accepted. */
  readonly former: JsonObject;
  /** The definition that has each accepted name of the group. */
  readonly taken: ReadonlyMap<string, string>;
  readonly now: number;
}

/** Accepts the names that are not in use, with a condition that names the last conflict. Returns whether the definition changed. */
function decideNames(d: JsonObject, { name, spec, former, taken, now }: Names): boolean {
  const accepted: JsonObject = { ...former };
  let problem: Condition | undefined;
  const accept = (field: string, names: readonly string[], reason: string): void => {
    const owner = (n: string): string => taken.get(`${KINDS.has(field) ? 'kind' : 'resource'} ${n}`) ?? name;
    const had = field === 'shortNames' ? listAt(former, field) : [former[field]];
    const used = names
      .filter((n) => !had.includes(n) && owner(n) !== name)
      .map((n) => `${JSON.stringify(n)} is already in use`);
    if (used.length > 0) {
      const message = used.length === 1 ? used[0]! : `[${used.join(', ')}]`;
      problem = { type: 'NamesAccepted', status: 'False', reason, message };
      return;
    }
    if (spec[field] === undefined) delete accepted[field];
    else accepted[field] = cloneJson(spec[field]);
  };
  accept('plural', [textAt(spec, 'plural')], 'PluralConflict');
  accept('singular', [textAt(spec, 'singular')], 'SingularConflict');
  accept('shortNames', [...new Set(listAt(spec, 'shortNames').map(String))], 'ShortNamesConflict');
  accept('kind', [textAt(spec, 'kind')], 'KindConflict');
  accept('listKind', [textAt(spec, 'listKind')], 'ListKindConflict');
  if (spec['categories'] === undefined) delete accepted['categories'];
  else accepted['categories'] = cloneJson(spec['categories']);
  const stored: JsonObject = isObject(d['status']) ? d['status'] : {};
  d['status'] = { ...stored, acceptedNames: accepted };
  const isNew = setCondition(d, problem ?? ACCEPTED, now);
  if (!isNew && equalJson(former, accepted)) return false;
  if (problem === undefined && !isTrue(d, 'Established')) setCondition(d, INSTALLING, now);
  else if (conditionOf(d, 'Established') === undefined) setCondition(d, NOT_ESTABLISHED, now);
  return true;
}

const KINDS: ReadonlySet<string> = new Set(['kind', 'listKind']);

const ACCEPTED: Condition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};
const INSTALLING: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
};
const ESTABLISHED: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const NOT_ESTABLISHED: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

const INVALID_BUNDLE: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};

/** The status and the reason of the condition about the approval of a definition in a group of the community. */
const APPROVALS = {
  approved: { status: 'True', reason: 'ApprovedAnnotation' },
  bypassed: { status: 'False', reason: 'UnapprovedAnnotation' },
  missing: { status: 'False', reason: 'MissingAnnotation' },
  invalid: { status: 'False', reason: 'InvalidAnnotation' },
} as const;

/** The change of the status as a merge patch, which conflicts if the definition has changed since. */
function statusPatch(former: JsonObject, next: JsonObject): ConditionalPatch {
  const accepted = at(next, 'status', 'acceptedNames');
  const dropped = Object.keys(objectAt(former, 'status', 'acceptedNames') ?? {}).filter((f) => !hasOwn(accepted, f));
  return {
    metadata: { uid: textAt(next, 'metadata', 'uid'), resourceVersion: textAt(next, 'metadata', 'resourceVersion') },
    status: {
      ...(isObject(next['status']) ? next['status'] : {}),
      acceptedNames: { ...(isObject(accepted) ? accepted : {}), ...Object.fromEntries(dropped.map((f) => [f, null])) },
    },
  };
}

const hasOwn = (o: JsonValue | undefined, name: string): boolean => isObject(o) && Object.hasOwn(o, name);

/** Names in use by a definition, those of resources and those of kinds separately. */
function acceptedNames(d: JsonObject): readonly string[] {
  const names = isObject(d['status']) && isObject(d['status']['acceptedNames']) ? d['status']['acceptedNames'] : {};
  const resources = [textAt(names, 'plural'), textAt(names, 'singular'), ...listAt(names, 'shortNames').map(String)];
  const kinds = [textAt(names, 'kind'), textAt(names, 'listKind')];
  return [
    ...resources.filter((n) => n !== '').map((n) => `resource ${n}`),
    ...kinds.filter((n) => n !== '').map((n) => `kind ${n}`),
  ];
}

function byAge(a: JsonObject, b: JsonObject): number {
  const [x, y] = [a, b].map((d) => textAt(d, 'metadata', 'creationTimestamp') + textAt(d, 'metadata', 'name'));
  return x! < y! ? -1 : 1;
}
