import { boolAt, isObject, type JsonObject, type JsonValue, textAt } from '../../api/index.js';
import { jsonType, readVersioned } from '../../outbound/index.js';
import type { Attributes } from '../attributes.js';
import type { UserRules } from '../rbac/rulesfor.js';
import { AUTHENTICATED, type UserInfo } from '../user.js';
import type { Authorizer, Decision } from './authorizer.js';

/** The error for an invalid line of a policy file. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';
}

interface Policy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const GROUP = 'abac.authorization.kubernetes.io';
const ALLOW: Decision = { kind: 'allow', reason: '' };
const NO_OPINION: Decision = { kind: 'noOpinion', reason: 'No policy matched.' };
const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Mode `ABAC`: allows requests that a line of a policy file allows. */
export interface PolicyList extends Authorizer {
  rulesFor(user: UserInfo, namespace: string): UserRules;
}

/**
 * Reads policies, one JSON object on each line: `abac.authorization.kubernetes.io/v1beta1`, or the older form without a
 * version. Empty lines and comments (#) are ignored. Throws `PolicyFileError` with the number and the text of the line.
 */
export function readPolicies(text: string): PolicyList {
  const policies = text.split('\n').flatMap((line, i) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [policyOf(readVersioned(trimmed))];
    } catch (error) {
      throw new PolicyFileError(`line ${i + 1}: ${trimmed}: ${(error as Error).message}`);
    }
  });
  return {
    authorize: (user, attributes) =>
      policies.some((policy) => isAbout(policy, user) && allows(policy, attributes)) ? ALLOW : NO_OPINION,
    rulesFor(user, namespace) {
      const found = policies.filter((p) => isAbout(p, user) && (p.namespace === '*' || p.namespace === namespace));
      const verbs = ({ readonly }: Policy): string[] => (readonly ? [...READING] : ['*']);
      return {
        resourceRules: found
          .filter((p) => p.resource !== '')
          .map((p) => ({ verbs: verbs(p), apiGroups: [p.apiGroup], resources: [p.resource] })),
        nonResourceRules: found
          .filter((p) => p.nonResourcePath !== '')
          .map((p) => ({ verbs: verbs(p), nonResourceURLs: [p.nonResourcePath] })),
        evaluationError: '',
      };
    },
  };
}

const FIELDS: readonly string[] = [
  ...['user', 'group', 'readonly', 'apiGroup', 'resource', 'namespace', 'nonResourcePath'],
];

function policyOf(value: JsonObject): Policy {
  const version = textAt(value, 'apiVersion');
  if (version === '' || textAt(value, 'kind') === '') return unversioned(value);
  if (version === `${GROUP}/v0`) return unversioned(value);
  if (version !== `${GROUP}/v1beta1` || textAt(value, 'kind') !== 'Policy')
    throw new Error(
      `no kind ${JSON.stringify(textAt(value, 'kind'))} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const spec = value['spec'] ?? {};
  if (!isObject(spec)) throw new Error(mistyped(spec, 'Policy.spec', 'v1beta1.PolicySpec'));
  checkTypes(spec, 'PolicySpec.spec');
  return policyIn(spec);
}

const mistyped = (value: JsonValue, field: string, type: string): string =>
  `json: cannot unmarshal ${jsonType(value)} into Go struct field ${field} of type ${type}`;

/** `place`: the struct and the path of the fields in kube-apiserver's errors. */
function checkTypes(fields: JsonObject, place: string): void {
  for (const name of FIELDS) {
    const value = fields[name];
    const type = name === 'readonly' ? 'boolean' : 'string';
    if (value !== undefined && value !== null && typeof value !== type)
      throw new Error(mistyped(value, `${place}.${name}`, type === 'boolean' ? 'bool' : type));
  }
}

const policyIn = (fields: JsonObject): Policy => ({
  user: textAt(fields, 'user'),
  group: textAt(fields, 'group'),
  readonly: boolAt(fields['readonly']),
  apiGroup: textAt(fields, 'apiGroup'),
  resource: textAt(fields, 'resource'),
  namespace: textAt(fields, 'namespace'),
  nonResourcePath: textAt(fields, 'nonResourcePath'),
});

/** In the older form, an absent field matches everything; an absent user matches every authenticated user. */
function unversioned(value: JsonObject): Policy {
  checkTypes(value, 'Policy');
  const { user, group, readonly, resource, namespace } = policyIn(value);
  const everybody = user === '*' || group === '*';
  return {
    user: everybody ? '' : user,
    group: everybody || (user === '' && group === '') ? AUTHENTICATED : group,
    readonly,
    apiGroup: '*',
    resource: resource === '' ? '*' : resource,
    namespace: namespace === '' ? '*' : namespace,
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  };
}

/** Both the user and the group of a policy must match, if it names them; a policy without both matches no user. */
function isAbout({ user, group }: Policy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  if (user !== '' && user !== '*' && user !== name) return false;
  return group === '' || group === '*' || groups.includes(group);
}

function allows(policy: Policy, attributes: Attributes): boolean {
  if (policy.readonly && !READING.has(attributes.verb)) return false;
  const fits = (wanted: string, found: string): boolean => wanted === '*' || wanted === found;
  if (attributes.kind === 'resource')
    return (
      fits(policy.namespace, attributes.namespace) &&
      fits(policy.resource, attributes.resource) &&
      fits(policy.apiGroup, attributes.group)
    );
  const { nonResourcePath: path } = policy;
  if (fits(path, attributes.path)) return true;
  return path.endsWith('*') && attributes.path.startsWith(withoutStars(path));
}

function withoutStars(path: string): string {
  let end = path.length;
  while (path[end - 1] === '*') end--;
  return path.slice(0, end);
}
