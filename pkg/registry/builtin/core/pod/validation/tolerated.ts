import { FieldPath, isLabelValue, type JsonObject, type Shaped } from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, boolAt, listAt, objectAt, objectsAt, textAt } from '../../../access.js';
import { isInvalidSelector, nonReservedPath, passes } from '../../../rules.js';
import { hasPartPages } from './resources.js';
import { spreadKeys } from './scheduling.js';
import { hostSysctlProblem } from './security.js';

/** What a pod or template may have because the stored one that it replaces has something like it, from before a rule was stricter. */
export interface Tolerated {
  /** Huge pages may be parts of a page. */
  readonly partPages: boolean;
  /** Init containers that end may have a policy of restarts at a resize. */
  readonly initRestarts: boolean;
  /** Selectors of pod affinity may have values that are not label values. */
  readonly anyAffinityValues: boolean;
  /** Required node affinity may have values that are not label values. */
  readonly anyNodeValues: boolean;
  /** The selectors of spread constraints are not validated. */
  readonly anySpreadSelectors: boolean;
  /** The `matchLabelKeys` of spread constraints follow the rule of releases before 1.34. */
  readonly oldMatchKeys: boolean;
  /** The paths of projected tokens are not validated. */
  readonly anyTokenPaths: boolean;
  /** Kernel parameters may belong to a namespace of the host. */
  readonly hostSysctls: boolean;
  /** A pod with its own user namespace may be on the network of the host. */
  readonly hostNetwork: boolean;
  /** A pod with its own user namespace may use block devices. */
  readonly blockDevices: boolean;
  /** Image volumes need no reference. */
  readonly noImageReference: boolean;
  /** Containers with CAP_SYS_ADMIN need not allow privilege escalation. */
  readonly sysAdmin: boolean;
  /** Tolerations may compare numbers. */
  readonly comparisons: boolean;
}

const NOTHING: Tolerated = {
  partPages: false,
  initRestarts: false,
  anyAffinityValues: false,
  anyNodeValues: false,
  anySpreadSelectors: false,
  oldMatchKeys: false,
  anyTokenPaths: false,
  hostSysctls: false,
  hostNetwork: false,
  blockDevices: false,
  noImageReference: false,
  sysAdmin: false,
  comparisons: false,
};

const ANYWHERE = FieldPath.in<shapes.CoreV1TopologySpreadConstraint>();
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Returns what the spec that an update replaces allows; nothing for a new one. */
export function toleratedBy(stored: Shaped<shapes.CoreV1PodSpec> | undefined): Tolerated {
  if (stored === undefined) return NOTHING;
  const volumes = objectsAt(stored, 'volumes');
  const constraints = objectsAt(stored, 'topologySpreadConstraints');
  const all = CONTAINERS.flatMap((list): readonly JsonObject[] => objectsAt(stored, list));
  const ending = objectsAt(stored, 'initContainers').filter((c) => textAt(c, 'restartPolicy') !== 'Always');
  const ownUsers = at(stored, 'hostUsers') === false;
  return {
    partPages: hasPartPages(stored),
    initRestarts: ending.some((c) =>
      objectsAt(c, 'resizePolicy').some((p) => textAt(p, 'restartPolicy') === 'RestartContainer'),
    ),
    anyAffinityValues: affinityTerms(stored).some((term) =>
      (['labelSelector', 'namespaceSelector'] as const).some((field) => isInvalidSelector(at(term, field))),
    ),
    anyNodeValues: objectsAt(stored, 'affinity', 'nodeAffinity', REQUIRED, 'nodeSelectorTerms').some(
      hasInvalidNodeValue,
    ),
    anySpreadSelectors: constraints.some((c) => isInvalidSelector(at(c, 'labelSelector'))),
    oldMatchKeys: constraints.some((c) => !passes((errors) => spreadKeys(c, ANYWHERE, errors, false))),
    anyTokenPaths: volumes
      .flatMap((v) => objectsAt(v, 'projected', 'sources'))
      .some((source) => {
        const token = at(source, 'serviceAccountToken');
        const file = textAt(token, 'path');
        return token !== undefined && !passes((errors) => nonReservedPath(file, FieldPath.root, errors));
      }),
    hostSysctls: objectsAt(stored, 'securityContext', 'sysctls').some(
      (s) => hostSysctlProblem(textAt(s, 'name'), stored) !== undefined,
    ),
    hostNetwork: ownUsers && boolAt(stored, 'hostNetwork'),
    blockDevices: ownUsers && all.some((c) => listAt(c, 'volumeDevices').length > 0),
    noImageReference: volumes.some((v) => at(v, 'image') !== undefined && textAt(v, 'image', 'reference') === ''),
    sysAdmin: all.some(
      (c) =>
        at(c, 'securityContext', 'allowPrivilegeEscalation') !== true &&
        listAt(c, 'securityContext', 'capabilities', 'add').includes('CAP_SYS_ADMIN'),
    ),
    comparisons: objectsAt(stored, 'tolerations').some((t) => ['Lt', 'Gt'].includes(textAt(t, 'operator'))),
  };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function affinityTerms(spec: Shaped<shapes.CoreV1PodSpec>): readonly Shaped<shapes.CoreV1PodAffinityTerm>[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) => {
    const a = at(spec, 'affinity', kind);
    return [...objectsAt(a, REQUIRED), ...objectsAt(a, PREFERRED).map((term) => objectAt(term, 'podAffinityTerm'))];
  });
}

/** Whether a term has a value that is not a label value. */
export const hasInvalidNodeValue = (term: Shaped<shapes.CoreV1NodeSelectorTerm>): boolean =>
  objectsAt(term, 'matchExpressions').some((e) => listAt(e, 'values').some((v) => isLabelValue(String(v)).length > 0));
