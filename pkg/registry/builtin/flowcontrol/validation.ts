import {
  type FieldErrors,
  FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  type Shaped,
  subdomainName,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, boolAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../access.js';
import { oneOf, sentences } from '../rules.js';
import { typedOnce } from '../status/conditions.js';
import { mandatoryLevel, mandatorySchema } from './mandatory.js';

/** Validation of flow schemas and priority levels. */

const SPEC = FieldPath.in<shapes.FlowcontrolV1FlowSchema | shapes.FlowcontrolV1PriorityLevelConfiguration>().child(
  'spec',
);
const PRECEDENCE_MAX = 10_000;
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const SUBJECTS = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' } as const;
type SubjectKind = keyof typeof SUBJECTS;
/** The order in which fields of other kinds are reported. */
const SUBJECTS_IN_ORDER: readonly SubjectKind[] = ['ServiceAccount', 'User', 'Group'];

export function validateFlowSchema(o: Shaped<shapes.FlowcontrolV1FlowSchema>, errors: FieldErrors): void {
  const spec = objectAt(o, 'spec');
  const precedence = numberAt(spec, 'matchingPrecedence');
  const path = SPEC.child('matchingPrecedence');
  if (precedence <= 0) errors.invalid(path, precedence, 'must be a positive value');
  if (precedence > PRECEDENCE_MAX) errors.invalid(path, precedence, `must not be greater than ${PRECEDENCE_MAX}`);
  if (precedence === 1 && textAt(o, 'metadata', 'name') !== 'exempt')
    errors.invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  const method = at(spec, 'distinguisherMethod');
  const type = textAt(method, 'type');
  if (method !== undefined && !['ByNamespace', 'ByUser'].includes(type))
    errors.notSupported(SPEC.child('distinguisherMethod').child('type'), { Type: type }, ['ByNamespace', 'ByUser']);
  const level = textAt(spec, 'priorityLevelConfiguration', 'name');
  const levelPath = SPEC.child('priorityLevelConfiguration').child('name');
  if (level === '') errors.required(levelPath, 'must reference a priority level');
  else sentences(level, isDns1123Subdomain, levelPath, errors);
  errors.each(objectsAt(spec, 'rules'), (rule, i) => policyRule(rule, SPEC.child('rules').index(i), errors));
  mandatorySchema(o, SPEC, errors);
}

function policyRule(
  rule: Shaped<shapes.FlowcontrolV1PolicyRulesWithSubjects>,
  path: FieldPath<shapes.FlowcontrolV1PolicyRulesWithSubjects>,
  errors: FieldErrors,
): void {
  const subjects = objectsAt(rule, 'subjects');
  if (subjects.length === 0) errors.required(path.child('subjects'), 'subjects must contain at least one value');
  errors.each(subjects, (s, i) => subject(s, path.child('subjects').index(i), errors));
  const resources = objectsAt(rule, 'resourceRules');
  const others = objectsAt(rule, 'nonResourceRules');
  if (resources.length === 0 && others.length === 0)
    errors.required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty');
  errors.each(resources, (r, i) => resourceRule(r, path.child('resourceRules').index(i), errors));
  errors.each(others, (r, i) => nonResourceRule(r, path.child('nonResourceRules').index(i), errors));
}

function subject(
  s: Shaped<shapes.FlowcontrolV1Subject>,
  path: FieldPath<shapes.FlowcontrolV1Subject>,
  errors: FieldErrors,
): void {
  const kind = textAt(s, 'kind');
  if (!Object.hasOwn(SUBJECTS, kind)) {
    errors.notSupported(path.child('kind'), kind, Object.keys(SUBJECTS));
    return;
  }
  ownSubject(s, kind as SubjectKind, path, errors);
  for (const of of SUBJECTS_IN_ORDER) {
    const field = SUBJECTS[of];
    if (of !== kind && at(s, field) !== undefined)
      errors.forbidden(path.child(field), `${field} is forbidden when subject kind is not '${of}'`);
  }
}

/** Validates the field that belongs to the kind of a subject. */
function ownSubject(
  s: Shaped<shapes.FlowcontrolV1Subject>,
  kind: SubjectKind,
  path: FieldPath<shapes.FlowcontrolV1Subject>,
  errors: FieldErrors,
): void {
  const field = SUBJECTS[kind];
  const here = path.child(field);
  const given = at(s, field);
  if (given === undefined) {
    errors.required(here, `${field} is required when subject kind is '${kind}'`);
    return;
  }
  const name = textAt(given, 'name');
  if (name === '') errors.required(here.child('name'));
  if (kind !== 'ServiceAccount') return;
  if (name !== '' && name !== '*')
    for (const text of subdomainName(name, false)) errors.invalid(here.child('name'), name, text);
  const namespace = textAt(s, 'serviceAccount', 'namespace');
  const namespacePath = path.child('serviceAccount', 'namespace');
  if (namespace === '') errors.required(namespacePath, 'must specify namespace for service account');
  else sentences(namespace, isDns1123Label, namespacePath, errors);
}

function verbs(
  rule: Shaped<shapes.FlowcontrolV1NonResourcePolicyRule | shapes.FlowcontrolV1ResourcePolicyRule>,
  path: FieldPath<shapes.FlowcontrolV1NonResourcePolicyRule | shapes.FlowcontrolV1ResourcePolicyRule>,
  errors: FieldErrors,
): void {
  const all = listAt(rule, 'verbs').map(String);
  const here = path.child('verbs');
  if (all.length === 0) errors.required(here, 'verbs must contain at least one value');
  else if (all.includes('*')) {
    if (all.length > 1) errors.invalid(here, all, "if '*' is present, must not specify other verbs");
  } else if (all.some((v) => !VERBS.includes(v))) errors.notSupported(here, all, VERBS);
}

function list(
  rule: Shaped<shapes.FlowcontrolV1ResourcePolicyRule>,
  field: 'apiGroups' | 'resources',
  what: string,
  none: string,
  path: FieldPath<shapes.FlowcontrolV1ResourcePolicyRule>,
  errors: FieldErrors,
): void {
  const all = listAt(rule, field).map(String);
  if (all.length === 0) errors.required(path.child(field), none);
  else if (all.length > 1 && all.includes('*'))
    errors.invalid(path.child(field), all, `if '*' is present, must not specify other ${what}`);
}

function resourceRule(
  rule: Shaped<shapes.FlowcontrolV1ResourcePolicyRule>,
  path: FieldPath<shapes.FlowcontrolV1ResourcePolicyRule>,
  errors: FieldErrors,
): void {
  verbs(rule, path, errors);
  list(rule, 'apiGroups', 'api groups', 'resource rules must supply at least one api group', path, errors);
  list(rule, 'resources', 'resources', 'resource rules must supply at least one resource', path, errors);
  const namespaces = listAt(rule, 'namespaces').map(String);
  const here = path.child('namespaces');
  if (namespaces.length === 0 && !boolAt(rule, 'clusterScope'))
    errors.required(here, 'resource rules that are not cluster scoped must supply at least one namespace');
  else if (namespaces.length > 1 && namespaces.includes('*'))
    errors.invalid(here, namespaces, "if '*' is present, must not specify other namespaces");
  else
    for (const [i, namespace] of namespaces.entries())
      if (namespace !== '*')
        for (const s of isDns1123Label(namespace))
          errors.invalid(here.index(i), namespace, `each member of this list must be '*' or a DNS-1123 label; ${s}`);
}

function nonResourceRule(
  rule: Shaped<shapes.FlowcontrolV1NonResourcePolicyRule>,
  path: FieldPath<shapes.FlowcontrolV1NonResourcePolicyRule>,
  errors: FieldErrors,
): void {
  verbs(rule, path, errors);
  const urls = listAt(rule, 'nonResourceURLs').map(String);
  const here = path.child('nonResourceURLs');
  if (urls.length === 0) errors.required(here, 'nonResourceURLs must contain at least one value');
  else if (urls.includes('*')) {
    if (urls.length > 1) errors.invalid(here, urls, "if '*' is present, must not specify other non-resource URLs");
  } else for (const [i, url] of urls.entries()) urlPattern(url, here.index(i), errors);
}

function urlPattern(url: string, path: FieldPath, errors: FieldErrors): void {
  if (url === '') errors.invalid(path, url, 'must not be empty');
  else if (url.includes('//')) errors.invalid(path, url, 'must not contain double slash');
  else if (url === '/') return;
  else if (!url.startsWith('/')) errors.invalid(path, url, 'must start with slash');
  else if (url.includes(' ')) errors.invalid(path, url, 'must not contain white-space');
  else if (url.replace(/\/\*$/, '').includes('*')) errors.invalid(path, url, 'wildcard can only do suffix matching');
}

export function validatePriorityLevel(
  o: Shaped<shapes.FlowcontrolV1PriorityLevelConfiguration>,
  errors: FieldErrors,
): void {
  const spec = objectAt(o, 'spec');
  const name = textAt(o, 'metadata', 'name');
  const type = textAt(spec, 'type');
  if ((type === 'Exempt') !== (name === 'exempt'))
    errors.invalid(SPEC.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'");
  switch (type) {
    case 'Exempt':
      if (at(spec, 'limited') !== undefined)
        errors.forbidden(SPEC.child('limited'), 'must be nil if the type is not Limited');
      exempt(objectAt(spec, 'exempt'), SPEC.child('exempt'), errors);
      break;
    case 'Limited':
      if (at(spec, 'exempt') !== undefined)
        errors.forbidden(SPEC.child('exempt'), 'must be nil if the type is Limited');
      if (at(spec, 'limited') === undefined)
        errors.required(SPEC.child('limited'), 'must not be empty when type is Limited');
      else limited(objectAt(spec, 'limited'), SPEC.child('limited'), errors);
      break;
    default:
      oneOf(type, SPEC.child('type'), ['Exempt', 'Limited'], errors);
  }
  mandatoryLevel(o, SPEC, errors);
}

function exempt(
  e: Shaped<shapes.FlowcontrolV1ExemptPriorityLevelConfiguration>,
  path: FieldPath<shapes.FlowcontrolV1ExemptPriorityLevelConfiguration>,
  errors: FieldErrors,
): void {
  const shares = numberAt(e, 'nominalConcurrencyShares');
  if (shares < 0) errors.invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer');
  const lendable = at(e, 'lendablePercent');
  if (typeof lendable === 'number' && (lendable < 0 || lendable > 100))
    errors.invalid(path.child('lendablePercent'), lendable, 'must be between 0 and 100, inclusive');
}

function limited(
  l: Shaped<shapes.FlowcontrolV1LimitedPriorityLevelConfiguration>,
  path: FieldPath<shapes.FlowcontrolV1LimitedPriorityLevelConfiguration>,
  errors: FieldErrors,
): void {
  const shares = numberAt(l, 'nominalConcurrencyShares');
  if (shares < 0) errors.invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer');
  const response = objectAt(l, 'limitResponse');
  const here = path.child('limitResponse');
  const queuing = at(response, 'queuing');
  switch (textAt(response, 'type')) {
    case 'Reject':
      if (queuing !== undefined)
        errors.forbidden(here.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited');
      break;
    case 'Queue':
      if (queuing === undefined)
        errors.required(here.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited');
      else queues(objectAt(response, 'queuing'), here.child('queuing'), errors);
      break;
    default:
      oneOf(textAt(response, 'type'), here.child('type'), ['Queue', 'Reject'], errors);
  }
  const lendable = at(l, 'lendablePercent');
  if (typeof lendable === 'number' && (lendable < 0 || lendable > 100))
    errors.invalid(path.child('lendablePercent'), lendable, 'must be between 0 and 100, inclusive');
  const borrowing = at(l, 'borrowingLimitPercent');
  if (typeof borrowing === 'number' && borrowing < 0)
    errors.invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer');
}

const QUEUES_MAX = 10_000_000;
const ENTROPY_BITS_MAX = 60;

function queues(
  q: Shaped<shapes.FlowcontrolV1QueuingConfiguration>,
  path: FieldPath<shapes.FlowcontrolV1QueuingConfiguration>,
  errors: FieldErrors,
): void {
  const count = numberAt(q, 'queues');
  const hand = numberAt(q, 'handSize');
  const length = numberAt(q, 'queueLengthLimit');
  if (length <= 0) errors.invalid(path.child('queueLengthLimit'), length, 'must be positive');
  if (count <= 0) errors.invalid(path.child('queues'), count, 'must be positive');
  else if (count > QUEUES_MAX) errors.invalid(path.child('queues'), count, `must not be greater than ${QUEUES_MAX}`);
  const here = path.child('handSize');
  if (hand <= 0) errors.invalid(here, hand, 'must be positive');
  else if (hand > count) errors.invalid(here, hand, `should not be greater than queues (${count})`);
  else if (entropyBits(count, hand) > ENTROPY_BITS_MAX)
    errors.invalid(
      here,
      hand,
      `required entropy bits of deckSize ${count} and handSize ${hand} should not be greater than ${ENTROPY_BITS_MAX}`,
    );
}

/** The entropy in bits that shuffle sharding reserves to deal a hand, as if each queue were dealt from the whole deck. */
const entropyBits = (deck: number, hand: number): number => Math.ceil(Math.log2(deck) * hand);

/** Validates the status of both kinds. */
export function validateConditions(
  o: Shaped<shapes.FlowcontrolV1FlowSchema | shapes.FlowcontrolV1PriorityLevelConfiguration>,
  _old: Shaped<shapes.FlowcontrolV1FlowSchema | shapes.FlowcontrolV1PriorityLevelConfiguration>,
  errors: FieldErrors,
): void {
  typedOnce(
    objectsAt(o, 'status', 'conditions'),
    FieldPath.in<shapes.FlowcontrolV1FlowSchema | shapes.FlowcontrolV1PriorityLevelConfiguration>().child(
      'status',
      'conditions',
    ),
    errors,
  );
}
