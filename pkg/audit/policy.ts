import {
  FieldErrors,
  FieldPath,
  isDns1123Subdomain,
  type JsonValue,
  type RequestAttributes,
  type ResourceAttributes,
  type UserInfo,
} from '../api/index.js';
import { ConfigError, describeErrors, type FileTypes, readConfigFile } from '../config/index.js';

export type Level = 'None' | 'Metadata' | 'Request' | 'RequestResponse';
export type Stage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

export const LEVELS: readonly Level[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
export const STAGES: readonly Stage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

/** Policy of audit.k8s.io/v1. */
interface PolicyFile {
  readonly rules?: readonly RuleFile[] | null;
  readonly omitStages?: readonly string[] | null;
  readonly omitManagedFields?: boolean | null;
}

interface RuleFile {
  readonly level?: string;
  readonly users?: readonly string[] | null;
  readonly userGroups?: readonly string[] | null;
  readonly verbs?: readonly string[] | null;
  readonly resources?: readonly GroupResources[] | null;
  readonly namespaces?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
  readonly omitStages?: readonly string[] | null;
  readonly omitManagedFields?: boolean | null;
}

interface GroupResources {
  readonly group?: string;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
}

/** The parts of one request that are recorded. */
export interface Decision {
  readonly level: Level;
  readonly omits: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

interface Rule extends Decision {
  matches(user: UserInfo, attributes: RequestAttributes): boolean;
}

/** Decides what is recorded of a request: by the first matching rule. */
export class Policy {
  readonly #rules: readonly Rule[];
  readonly #otherwise: Decision;

  constructor({ rules, omitStages, omitManagedFields }: PolicyFile) {
    const everywhere = (omitStages ?? []) as readonly Stage[];
    this.#rules = (rules ?? []).map((rule) => ({
      level: rule.level as Level,
      omits: new Set([...everywhere, ...((rule.omitStages ?? []) as readonly Stage[])]),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields ?? false,
      matches: matcher(rule),
    }));
    this.#otherwise = { level: 'None', omits: new Set(everywhere), omitManagedFields: omitManagedFields ?? false };
  }

  decide(user: UserInfo, attributes: RequestAttributes): Decision {
    for (const rule of this.#rules) if (rule.matches(user, attributes)) return rule;
    return this.#otherwise;
  }
}

const setOf = (list: readonly string[] | null | undefined): ReadonlySet<string> | undefined =>
  list === undefined || list === null || list.length === 0 ? undefined : new Set(list);

function matcher(rule: RuleFile): Rule['matches'] {
  const users = setOf(rule.users);
  const groups = setOf(rule.userGroups);
  const verbs = setOf(rule.verbs);
  const namespaces = setOf(rule.namespaces);
  const resources = rule.resources ?? [];
  const urls = rule.nonResourceURLs ?? [];
  return (user, attributes) => {
    if (users !== undefined && !users.has(user.name)) return false;
    if (groups !== undefined && !user.groups.some((group) => groups.has(group))) return false;
    if (verbs !== undefined && !verbs.has(attributes.verb)) return false;
    if (namespaces !== undefined || resources.length > 0) {
      if (attributes.kind !== 'resource') return false;
      if (namespaces !== undefined && !namespaces.has(attributes.namespace)) return false;
      return resources.length === 0 || resources.some((one) => matchesResource(one, attributes));
    }
    if (urls.length > 0) return attributes.kind === 'path' && urls.some((url) => matchesPath(url, attributes.path));
    return true;
  };
}

function matchesPath(url: string, path: string): boolean {
  if (url === '*' || url === path) return true;
  return url.endsWith('*') && path.startsWith(url.slice(0, -1));
}

/** `pods` is the resource itself, `pods/log` a subresource, `pods/*` all subresources, `*` everything, `*` + `/scale` that of all resources. */
function matchesResource({ group = '', resources, resourceNames }: GroupResources, of: ResourceAttributes): boolean {
  if (group !== '*' && group !== of.group) return false;
  if (resources === undefined || resources === null || resources.length === 0) return true;
  if (resourceNames !== undefined && resourceNames !== null && resourceNames.length > 0)
    if (!resourceNames.includes(of.name)) return false;
  const whole = of.subresource === '' ? of.resource : `${of.resource}/${of.subresource}`;
  return resources.some(
    (r) =>
      r === whole ||
      r === '*' ||
      (of.subresource !== '' && r === `*/${of.subresource}`) ||
      (r.endsWith('/*') && r.slice(0, -2) === of.resource),
  );
}

const TEXT = { type: 'string' };
const TEXTS = { type: ['array', 'null'], items: TEXT };
const STAGE_LIST = { type: ['array', 'null'], items: { type: 'string', title: 'Stage' } };
const SWITCH = { type: ['boolean', 'null'] };
const TYPES: FileTypes = {
  'audit.k8s.io/v1/Policy': {
    title: 'Policy',
    properties: {
      metadata: { type: 'object', title: 'ObjectMeta', properties: { name: TEXT } },
      rules: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          title: 'PolicyRule',
          properties: {
            level: { type: 'string', title: 'Level' },
            users: TEXTS,
            userGroups: TEXTS,
            verbs: TEXTS,
            resources: {
              type: ['array', 'null'],
              items: {
                type: 'object',
                title: 'GroupResources',
                properties: { group: TEXT, resources: TEXTS, resourceNames: TEXTS },
                additionalProperties: false,
              },
            },
            namespaces: TEXTS,
            nonResourceURLs: TEXTS,
            omitStages: STAGE_LIST,
            omitManagedFields: SWITCH,
          },
          additionalProperties: false,
        },
      },
      omitStages: STAGE_LIST,
      omitManagedFields: SWITCH,
    },
  },
};

/**
 * Reads an audit policy, YAML or JSON. Throws `ConfigError` with the path of every invalid field and kube-apiserver's
 * message. As in kube-apiserver, unknown and repeated fields are ignored, with a warning.
 */
export async function readPolicy(
  source: string,
  text: string,
  warn: (problem: string) => void = () => {},
): Promise<Policy> {
  const fail = (why: string): ConfigError => new ConfigError(`loading audit policy file: ${why}: from file ${source}`);
  const read = await readConfigFile<PolicyFile>(text, TYPES, { lenient: true });
  if (!read.ok) throw fail(`failed decoding: ${describeErrors(read.errors)}`);
  if (read.ignored.length > 0) warn(describeErrors(read.ignored));
  const found = new FieldErrors();
  validate(read.value, found);
  if (!found.empty) {
    const list = found.list.map((e) => `${e.field}: ${e.message}`);
    throw fail(list.length === 1 ? list[0]! : `[${list.join(', ')}]`);
  }
  if ((read.value.rules ?? []).length === 0) throw fail('loaded illegal policy with 0 rules');
  return new Policy(read.value);
}

function validate({ omitStages, rules }: PolicyFile, errors: FieldErrors): void {
  checkStages(omitStages ?? [], FieldPath.of('omitStages'), errors);
  for (const [i, rule] of (rules ?? []).entries()) checkRule(rule, FieldPath.of('rules').index(i), errors);
}

function checkRule(rule: RuleFile, path: FieldPath, errors: FieldErrors): void {
  const { level = '', nonResourceURLs } = rule;
  if (level === '') errors.required(path.child('level'));
  else if (!(LEVELS as readonly string[]).includes(level)) errors.notSupported(path.child('level'), level, LEVELS);
  const urls = nonResourceURLs ?? [];
  for (const [i, url] of urls.entries()) {
    if (url === '*') continue;
    const at = path.child('nonResourceURLs').index(i);
    if (!url.startsWith('/')) errors.invalid(at, url, "non-resource URL rules must begin with a '/' character");
    if (url.slice(0, -1).includes('*'))
      errors.invalid(at, url, "non-resource URL wildcards '*' must be the final character of the rule");
  }
  for (const one of rule.resources ?? []) checkResources(one, path.child('resources'), errors);
  checkStages(rule.omitStages ?? [], path.child('omitStages'), errors);
  if (urls.length > 0 && ((rule.resources ?? []).length > 0 || (rule.namespaces ?? []).length > 0))
    errors.invalid(
      path.child('nonResourceURLs'),
      urls as unknown as JsonValue,
      'rules cannot apply to both regular resources and non-resource URLs',
    );
}

function checkResources(
  { group = '', resources, resourceNames }: GroupResources,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (group !== '' && group !== '*') {
    const problems = isDns1123Subdomain(group);
    if (problems.length > 0) errors.invalid(path.child('group'), group, problems.join(','));
  }
  if ((resourceNames ?? []).length > 0 && (resources ?? []).length === 0)
    errors.invalid(
      path.child('resourceNames'),
      (resourceNames ?? []) as unknown as JsonValue,
      'using resourceNames requires at least one resource',
    );
}

function checkStages(stages: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const [i, stage] of stages.entries())
    if (!(STAGES as readonly string[]).includes(stage))
      errors.invalid(path.index(i), stage, `allowed stages are ${STAGES.join(',')}`);
}
