import type { JsonObject, Shaped, Value } from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, objectAt, objectsAt, textAt } from '../../../access.js';

/** Warnings about deprecated node labels, and about selectors that match nothing. */

const RENAMED: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

const NOTHING = 'a null labelSelector results in matching no pod';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

type Warn = (text: string) => void;

/** Warnings about node selectors and node affinity. */
export function nodeChoiceWarnings(spec: Shaped<shapes.CoreV1PodSpec>, path: string, warn: Warn): void {
  for (const label of Object.keys(objectAt(spec, 'nodeSelector'))) {
    const why = renamedLabel(label);
    if (why !== undefined) warn(`${path}.nodeSelector[${label}]: ${why}`);
  }
  const node = at(spec, 'affinity', 'nodeAffinity');
  const nodePath = `${path}.affinity.nodeAffinity`;
  nodeSelectorWarnings(at(node, REQUIRED), `${nodePath}.${REQUIRED}`, warn);
  for (const [i, term] of objectsAt(node, PREFERRED).entries()) {
    termWarnings(objectAt(term, 'preference'), `${nodePath}.${PREFERRED}[${i}].preference`, warn);
  }
  for (const [i, c] of objectsAt(spec, 'topologySpreadConstraints').entries()) {
    const here = `${path}.topologySpreadConstraints[${i}]`;
    renamed(textAt(c, 'topologyKey'), `${here}.topologyKey`, warn);
    if (at(c, 'labelSelector') === undefined) warn(`${here}.labelSelector: ${NOTHING}`);
  }
}

/** Warnings about pod affinity and topology spread constraints. */
export function affinityWarnings(spec: Shaped<shapes.CoreV1PodSpec>, path: string, warn: Warn): void {
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const here = `${path}.affinity.${kind}`;
    for (const [i, term] of objectsAt(spec, 'affinity', kind, REQUIRED).entries()) {
      if (at(term, 'labelSelector') === undefined) warn(`${here}.${REQUIRED}[${i}].labelSelector: ${NOTHING}`);
    }
    for (const [i, term] of objectsAt(spec, 'affinity', kind, PREFERRED).entries()) {
      if (at(term, 'podAffinityTerm', 'labelSelector') === undefined)
        warn(`${here}.${PREFERRED}[${i}].podAffinityTerm.labelSelector: ${NOTHING}`);
    }
  }
}

/** The warning text for a deprecated node label. */
export const renamedLabel = (label: string): string | undefined =>
  Object.hasOwn(RENAMED, label) ? RENAMED[label] : undefined;

/** Warnings about a NodeSelector in a pod or a volume. */
export function nodeSelectorWarnings(
  selector: Value<shapes.CoreV1NodeSelector> | undefined,
  path: string,
  warn: Warn,
): void {
  for (const [i, term] of objectsAt(selector, 'nodeSelectorTerms').entries())
    termWarnings(term, `${path}.nodeSelectorTerms[${i}]`, warn);
}

function termWarnings(term: Shaped<shapes.CoreV1NodeSelectorTerm>, path: string, warn: Warn): void {
  for (const [i, e] of objectsAt(term, 'matchExpressions').entries())
    renamed(textAt(e, 'key'), `${path}.matchExpressions[${i}].key`, warn);
}

function renamed(label: string, path: string, warn: Warn): void {
  if (Object.hasOwn(RENAMED, label)) warn(`${path}: ${label} is ${RENAMED[label]}`);
}

/** Annotations that fields have replaced. */
const DEAD_ANNOTATIONS: readonly (readonly [string, string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

/** `path` is the path of the annotations. */
export function deadAnnotationWarnings(annotations: JsonObject, path: string, warn: Warn): void {
  for (const [key, why] of DEAD_ANNOTATIONS) if (Object.hasOwn(annotations, key)) warn(`${path}[${key}]: ${why}`);
}
