import {
  type FieldErrors,
  type FieldPath,
  givenFields,
  isDns1123Label,
  isPortName,
  isPortNumber,
  type JsonObject,
  type Shaped,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, boolAt, givenAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../../../access.js';
import { oneOf, sentences } from '../../../rules.js';
import { environment } from './env.js';
import { lifecycle, probes } from './handlers.js';
import { volumeDevices, volumeMounts } from './mounts.js';
import { resourceRequirements } from './resources.js';
import { containerSecurity } from './security.js';
import type { Tolerated } from './tolerated.js';

/** Validation of all three kinds of containers. `common` has the shared rules; each kind adds its own. */

export interface ContainerContext {
  readonly spec: Shaped<shapes.CoreV1PodSpec>;
  /** The object is a template, so pods may still get defaults. */
  readonly isTemplate: boolean;
  readonly path: FieldPath<shapes.CoreV1PodSpec>;
  readonly errors: FieldErrors;
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly claims: ReadonlySet<string>;
  readonly tolerated: Tolerated;
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const RULE_ACTIONS = ['Restart', 'RestartAllContainers'];
const RULE_OPERATORS = ['In', 'NotIn'];
const RESTART_RULES_MAX = 20;
const EXIT_CODES_MAX = 255;

export function containers(context: ContainerContext): void {
  const { spec, errors } = context;
  const path = context.path.child('containers');
  const all = objectsAt(spec, 'containers');
  if (all.length === 0) {
    errors.required(path);
    return;
  }
  const names = new Set<string>();
  errors.each(all, (c, i) => {
    const here = path.index(i);
    common(c, here, context);
    unique(c, names, here, errors, true);
    lifecycle(c, { grace: graceOf(spec), os: textAt(spec, 'os', 'name') }, here, errors);
    probes(c, here, errors);
    restart(c, here, errors);
  });
  hostPorts(all, path, errors);
}

export function initContainers(context: ContainerContext): void {
  const { spec, errors } = context;
  const path = context.path.child('initContainers');
  const names = new Set(objectsAt(spec, 'containers').map((c) => textAt(c, 'name')));
  errors.each(objectsAt(spec, 'initContainers'), (c, i) => {
    const here = path.index(i);
    common(c, here, context);
    restart(c, here, errors, true);
    unique(c, names, here, errors);
    hostPorts([c], path, errors);
    if (textAt(c, 'restartPolicy') === 'Always') {
      lifecycle(c, { grace: graceOf(spec), os: textAt(spec, 'os', 'name') }, here, errors);
      probes(c, here, errors);
      return;
    }
    // it terminates before the others start, so it has no probes and hooks
    for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (at(c, field) !== undefined)
        errors.forbidden(here.child(field), 'may not be set for init containers without restartPolicy=Always');
    }
    if (!context.tolerated.initRestarts) notRestarted(c, here, errors);
  });
}

/** An init container that ends cannot be restarted. */
function notRestarted(c: JsonObject, path: FieldPath<shapes.CoreV1Container>, errors: FieldErrors): void {
  for (const [i, p] of objectsAt(c, 'resizePolicy').entries()) {
    const policy = textAt(p, 'restartPolicy');
    if (policy !== 'RestartContainer') continue;
    const here = path.child('resizePolicy').index(i).child('restartPolicy');
    errors.invalid(here, policy, "must not be set to 'RestartContainer' for non-sidecar initContainers");
  }
}

/** Fields that an ephemeral container does not have, in the order of their errors. */
const NOT_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

export function ephemeralContainers(context: ContainerContext): void {
  const { spec, errors } = context;
  const path = context.path.child('ephemeralContainers');
  const others = new Set(
    [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].map((c) => textAt(c, 'name')),
  );
  const names = new Set(others);
  errors.each(objectsAt(spec, 'ephemeralContainers'), (c, i) => {
    const here = path.index(i);
    common(c, here, context);
    trimmedImage(c, here, errors);
    unique(c, names, here, errors, true);
    const target = textAt(c, 'targetContainerName');
    if (target !== '' && !others.has(target)) errors.notFound(here.child('targetContainerName'), target);
    for (const field of NOT_EPHEMERAL) {
      if (givenAt(c, field) === undefined) continue;
      // a struct and not a pointer in Go, so it is always present
      const empty = field === 'resources' && givenFields(objectAt(c, field)).length === 0;
      if (!empty) errors.forbidden(here.child(field), 'cannot be set for an Ephemeral Container');
    }
    errors.each(objectsAt(c, 'volumeMounts'), (m, j) => {
      for (const field of ['subPath', 'subPathExpr'] as const)
        if (textAt(m, field) !== '')
          errors.forbidden(
            here.child('volumeMounts').index(j).child(field),
            'cannot be set for an Ephemeral Container',
          );
    });
  });
}

/** Refuses an image with blanks around it. Templates may have it, because they always could. */
export function trimmedImage(
  c: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  path: FieldPath<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  errors: FieldErrors,
): void {
  const image = textAt(c, 'image');
  if (image !== image.trim())
    errors.invalid(path.child('image'), image, 'must not have leading or trailing whitespace');
}

/** The grace period that limits hooks; undefined for a template without one. */
function graceOf(spec: Shaped<shapes.CoreV1PodSpec>): number | undefined {
  const v = at(spec, 'terminationGracePeriodSeconds');
  return typeof v === 'number' ? v : undefined;
}

function common(
  c: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  path: FieldPath<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  { spec, errors, volumes, claims, tolerated }: ContainerContext,
): void {
  const name = textAt(c, 'name');
  if (name === '') errors.required(path.child('name'));
  else sentences(name, isDns1123Label, path.child('name'), errors);
  if (textAt(c, 'image') === '') errors.required(path.child('image'));
  oneOf(
    textAt(c, 'terminationMessagePolicy'),
    path.child('terminationMessagePolicy'),
    ['File', 'FallbackToLogsOnError'],
    errors,
  );
  ports(c, path.child('ports'), errors);
  environment(c, path, errors);
  volumeMounts(c, volumes, path, errors);
  volumeDevices(c, volumes, path, errors);
  oneOf(textAt(c, 'imagePullPolicy'), path.child('imagePullPolicy'), PULL_POLICIES, errors);
  resourceRequirements(
    objectAt(c, 'resources'),
    { claims, allowsPartPages: tolerated.partPages },
    path.child('resources'),
    errors,
  );
  resizePolicy(c, spec, path.child('resizePolicy'), errors);
  containerSecurity(c, spec, path, errors, tolerated.sysAdmin);
}

/** On the host network the host port equals the container port. */
export function hostNetworkPorts({ spec, isTemplate, path, errors }: ContainerContext): void {
  if (!boolAt(spec, 'hostNetwork')) return;
  errors.each(objectsAt(spec, 'containers'), (c, i) => {
    const here = path.child('containers').index(i).child('ports');
    errors.each(objectsAt(c, 'ports'), (p, j) => {
      const port = numberAt(p, 'hostPort');
      if (port === numberAt(p, 'containerPort') || (isTemplate && port === 0)) return;
      errors.invalid(here.index(j).child('hostPort'), port, 'must match `containerPort` when `hostNetwork` is true');
    });
  });
}

function unique(
  c: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  names: Set<string>,
  path: FieldPath<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  errors: FieldErrors,
  emptyCounts = false,
): void {
  const name = textAt(c, 'name');
  if (names.has(name)) errors.duplicate(path.child('name'), name);
  else if (name !== '' || emptyCounts) names.add(name);
}

function ports(
  c: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  path: FieldPath<readonly shapes.CoreV1ContainerPort[]>,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  errors.each(objectsAt(c, 'ports'), (p, i) => {
    const here = path.index(i);
    const name = textAt(p, 'name');
    if (name !== '') {
      const wrong = isPortName(name);
      for (const s of wrong) errors.invalid(here.child('name'), name, s);
      if (wrong.length === 0) {
        if (names.has(name)) errors.duplicate(here.child('name'), name);
        names.add(name);
      }
    }
    const port = numberAt(p, 'containerPort');
    if (port === 0) errors.required(here.child('containerPort'));
    else for (const s of isPortNumber(port)) errors.invalid(here.child('containerPort'), port, s);
    const host = numberAt(p, 'hostPort');
    if (host !== 0) for (const s of isPortNumber(host)) errors.invalid(here.child('hostPort'), host, s);
    oneOf(textAt(p, 'protocol'), here.child('protocol'), PROTOCOLS, errors);
  });
}

function hostPorts(
  all: readonly Shaped<shapes.CoreV1Container>[],
  path: FieldPath<readonly shapes.CoreV1Container[]>,
  errors: FieldErrors,
): void {
  const taken = new Set<string>();
  errors.each(all, (c, i) => {
    errors.each(objectsAt(c, 'ports'), (p, j) => {
      const port = numberAt(p, 'hostPort');
      if (port === 0) return;
      const key = `${textAt(p, 'protocol')}/${textAt(p, 'hostIP')}/${port}`;
      if (taken.has(key)) errors.duplicate(path.index(i).child('ports').index(j).child('hostPort'), key);
      taken.add(key);
    });
  });
}

const RESIZE = ['NotRequired', 'RestartContainer'];

function resizePolicy(
  c: Shaped<shapes.CoreV1Container | shapes.CoreV1EphemeralContainer>,
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<readonly shapes.CoreV1ContainerResizePolicy[]>,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  errors.each(objectsAt(c, 'resizePolicy'), (p, i) => {
    const name = textAt(p, 'resourceName');
    if (seen.has(name)) errors.duplicate(path.index(i), name);
    seen.add(name);
    if (name === '') errors.required(path);
    else if (name !== 'cpu' && name !== 'memory') errors.notSupported(path, name, ['cpu', 'memory']);
    const policy = textAt(p, 'restartPolicy');
    if (policy === '') errors.required(path);
    else if (!RESIZE.includes(policy)) errors.notSupported(path, policy, RESIZE);
    if (textAt(spec, 'restartPolicy') === 'Never' && policy !== 'NotRequired') {
      errors.invalid(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  });
}

function restart(
  c: Shaped<shapes.CoreV1Container>,
  path: FieldPath<shapes.CoreV1Container>,
  errors: FieldErrors,
  isInit = false,
): void {
  const policy = at(c, 'restartPolicy');
  const rules = objectsAt(c, 'restartPolicyRules');
  if (typeof policy === 'string' && !RESTART_POLICIES.includes(policy))
    errors.notSupported(path.child('restartPolicy'), policy, RESTART_POLICIES);
  if (rules.length === 0) return;
  if (policy === undefined) {
    errors.required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used');
    if (isInit) return;
  }
  const here = path.child('restartPolicyRules');
  if (rules.length > RESTART_RULES_MAX) errors.tooMany(here, rules.length, RESTART_RULES_MAX);
  errors.each(rules, (rule, i) => {
    const one = here.index(i);
    oneOf(textAt(rule, 'action'), one.child('action'), RULE_ACTIONS, errors, false);
    const codes = at(rule, 'exitCodes');
    if (codes === undefined) {
      errors.required(one.child('exitCodes'), 'must be specified');
      return;
    }
    oneOf(textAt(codes, 'operator'), one.child('exitCodes', 'operator'), RULE_OPERATORS, errors, false);
    const values = listAt(codes, 'values');
    if (values.length > EXIT_CODES_MAX) errors.tooMany(one.child('exitCodes', 'values'), values.length, EXIT_CODES_MAX);
  });
}
