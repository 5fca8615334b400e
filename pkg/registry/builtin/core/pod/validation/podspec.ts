import {
  compareQuantities,
  type FieldErrors,
  FieldPath,
  formatQuantity,
  isDns1123Label,
  isDns1123Subdomain,
  isInRange,
  parseQuantity,
  type Shaped,
  subdomainName,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, givenAt, objectAt, objectsAt, textAt } from '../../../access.js';
import { labels, oneOf, sentences, shown } from '../../../rules.js';
import { aggregates } from '../aggregate.js';
import { isMirror } from './annotations.js';
import {
  type ContainerContext,
  containers,
  ephemeralContainers,
  hostNetworkPorts,
  initContainers,
} from './containers.js';
import { fileVolumes } from './env.js';
import { dnsConfig, dnsPolicy, hostAliases, hostNames, hostnameOverride, hostUsers } from './network.js';
import { overhead, resourceRequirements } from './resources.js';
import {
  affinity,
  evictionResponders,
  readinessGates,
  schedulingGates,
  schedulingGroup,
  tolerations,
  topologySpread,
} from './scheduling.js';
import { hostProcess, operatingSystem, podSecurity } from './security.js';
import { toleratedBy } from './tolerated.js';
import { volumes } from './volumes.js';

/**
 * Validates the spec of a pod or a template. `pod` is the object that holds the metadata; undefined for a template.
 * Rules that only templates or only pods have are in the files of those kinds. `stored` is the spec that an update replaces.
 */
export function podSpec(
  spec: Shaped<shapes.CoreV1PodSpec>,
  pod: Shaped<shapes.CoreV1Pod> | undefined,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
  stored?: Shaped<shapes.CoreV1PodSpec>,
): void {
  const tolerated = toleratedBy(stored);
  const byName = volumes(pod ?? {}, spec, path, errors, tolerated);
  const claims = resourceClaims(spec, isMirror(objectAt(pod ?? {}, 'metadata', 'annotations')), path, errors);
  const context: ContainerContext = {
    spec,
    isTemplate: pod === undefined,
    path,
    errors,
    volumes: byName.good,
    claims,
    tolerated,
  };
  errors.after(() => {
    containers(context);
    initContainers(context);
    ephemeralContainers(context);
    podLevelResources(context);
    hostNetworkPorts(context);
  });
  oneOf(textAt(spec, 'restartPolicy'), path.child('restartPolicy'), ['Always', 'OnFailure', 'Never'], errors);
  dnsPolicy(spec, path, errors);
  labels(objectAt(spec, 'nodeSelector'), path.child('nodeSelector'), errors);
  podSecurity(spec, path, errors, tolerated.hostSysctls);
  affinity(spec, path, errors, tolerated);
  dnsConfig(spec, path, errors);
  readinessGates(spec, path, errors);
  schedulingGates(spec, path, errors);
  topologySpread(spec, path, errors, tolerated);
  hostProcess(spec, path, errors);
  hostUsers(spec, path, errors, tolerated);
  hostnameOverride(spec, path, errors);
  const account = textAt(spec, 'serviceAccountName');
  if (account !== '')
    for (const s of subdomainName(account, false)) errors.invalid(path.child('serviceAccountName'), account, s);
  const node = textAt(spec, 'nodeName');
  if (node !== '') sentences(node, isDns1123Subdomain, path.child('nodeName'), errors);
  const deadline = at(spec, 'activeDeadlineSeconds');
  if (typeof deadline === 'number')
    for (const s of isInRange(deadline, 1, 2147483647))
      errors.invalid(path.child('activeDeadlineSeconds'), deadline, s);
  hostNames(spec, path, errors);
  tolerations(spec, path, errors, tolerated.comparisons);
  hostAliases(spec, path, errors);
  names(spec, path, errors);
  const preemption = at(spec, 'preemptionPolicy');
  if (typeof preemption === 'string')
    oneOf(preemption, path.child('preemptionPolicy'), ['PreemptLowerPriority', 'Never'], errors);
  overhead(objectAt(spec, 'overhead'), tolerated.partPages, path.childShownAs('overhead'), errors);
  operatingSystem(spec, path, errors);
  schedulingGroup(spec, path, errors);
  evictionResponders(spec, path, errors);
  errors.after(() => fileVolumes(spec, byName.all, path, errors));
}

function names(spec: Shaped<shapes.CoreV1PodSpec>, path: FieldPath<shapes.CoreV1PodSpec>, errors: FieldErrors): void {
  const priority = textAt(spec, 'priorityClassName');
  if (priority !== '') sentences(priority, isDns1123Subdomain, path.child('priorityClassName'), errors);
  const runtime = at(spec, 'runtimeClassName');
  if (typeof runtime === 'string') sentences(runtime, isDns1123Subdomain, path.child('runtimeClassName'), errors);
}

/** Returns the names of the claims, which are complete in `errors.after`. */
function resourceClaims(
  spec: Shaped<shapes.CoreV1PodSpec>,
  isStatic: boolean,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): ReadonlySet<string> {
  const names = new Set<string>();
  errors.each(objectsAt(spec, 'resourceClaims'), (claim, i) => {
    if (isStatic) {
      errors.forbidden(FieldPath.root.key(''), 'static pods do not support resource claims');
      return;
    }
    const here = path.child('resourceClaims').index(i);
    const name = textAt(claim, 'name');
    if (name === '') errors.required(here.child('name'));
    else if (names.has(name)) errors.duplicate(here.child('name'), name);
    else sentences(name, isDns1123Label, here.child('name'), errors);
    if (name !== '') names.add(name);
    const direct = at(claim, 'resourceClaimName');
    const template = at(claim, 'resourceClaimTemplateName');
    if (direct !== undefined && template !== undefined) {
      errors.invalid(
        here,
        shown('core/v1.PodResourceClaim', claim),
        'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
      );
    }
    if (direct === undefined && template === undefined) {
      errors.invalid(
        here,
        shown('core/v1.PodResourceClaim', claim),
        'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      );
    }
    if (typeof direct === 'string') sentences(direct, isDns1123Subdomain, here.child('resourceClaimName'), errors);
    if (typeof template === 'string')
      sentences(template, isDns1123Subdomain, here.child('resourceClaimTemplateName'), errors);
  });
  return names;
}

/** Pod-level resources must cover those of all containers. Windows has none. */
function podLevelResources({ spec, claims, path, errors, tolerated }: ContainerContext): void {
  const resources = at(spec, 'resources');
  if (resources === undefined) return;
  const here = path.child('resources');
  if (textAt(spec, 'os', 'name') === 'windows') {
    errors.forbidden(here, 'may not be set for a windows pod');
    return;
  }
  if (givenAt(resources, 'claims') !== undefined)
    errors.forbidden(here.child('claims'), 'claims may not be set for Resources at pod-level');
  resourceRequirements(
    objectAt(spec, 'resources'),
    { claims, podLevel: true, allowsPartPages: tolerated.partPages },
    here,
    errors,
  );
  const sums = aggregates(spec, 'requests');
  for (const [name, v] of Object.entries(objectAt(resources, 'requests'))) {
    const asked = parseQuantity(String(v));
    const sum = sums.get(name);
    if (sum === undefined) continue;
    if (asked !== undefined && compareQuantities(sum, asked) > 0) {
      errors.invalid(
        here.child('requests').key(name),
        formatQuantity(asked),
        `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`,
      );
    }
  }
  const limits = objectAt(resources, 'limits');
  errors.each(objectsAt(spec, 'containers'), (c, i) => {
    for (const [name, v] of Object.entries(objectAt(c, 'resources', 'limits'))) {
      const own = parseQuantity(String(v));
      const whole = Object.hasOwn(limits, name) ? parseQuantity(String(limits[name])) : undefined;
      if (own !== undefined && whole !== undefined && compareQuantities(own, whole) > 0) {
        errors.invalid(
          here.childShownAs('containers').index(i).key(name).child('limits'),
          formatQuantity(own),
          `must be less than or equal to pod limits of ${formatQuantity(whole)}`,
        );
      }
    }
  });
}
