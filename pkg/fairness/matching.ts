import { boolAt, isObject, type JsonObject, listAt, objectsAt, textAt, type UserInfo } from '../api/index.js';

/** The attributes of a request that flow schemas match. */
export interface FlowRequest {
  readonly user: UserInfo;
  /** The verb of authorization; for other paths the HTTP method in lower case. */
  readonly verb: string;
  /** Absent for paths that are not resources. */
  readonly resource: FlowResource | undefined;
  readonly path: string;
}

export interface FlowResource {
  readonly group: string;
  /** With the subresource: `pods`, `pods/status`. */
  readonly resource: string;
  /** '' for cluster-scoped requests. */
  readonly namespace: string;
}

/** A FlowSchema in the form used for matching requests. */
export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  readonly precedence: number;
  /** The name of the PriorityLevelConfiguration. */
  readonly level: string;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly subjects: readonly Subject[];
  readonly resources: readonly ResourceRule[];
  readonly paths: readonly PathRule[];
}

type Subject =
  | { readonly kind: 'User' | 'Group'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string };

interface ResourceRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope: boolean;
  readonly namespaces: readonly string[];
}

interface PathRule {
  readonly verbs: readonly string[];
  readonly paths: readonly string[];
}

const ANY = '*';

const texts = (object: JsonObject, field: string): readonly string[] => listAt(object, field).map(String);

/** Reads a stored FlowSchema (flowcontrol.apiserver.k8s.io/v1). Validation has checked it. */
export function flowSchemaOf(object: JsonObject): FlowSchema {
  const spec = isObject(object['spec']) ? object['spec'] : {};
  const type = textAt(spec, 'distinguisherMethod', 'type');
  return {
    name: textAt(object, 'metadata', 'name'),
    uid: textAt(object, 'metadata', 'uid'),
    precedence: Number(spec['matchingPrecedence'] ?? 0),
    level: textAt(spec, 'priorityLevelConfiguration', 'name'),
    distinguisher: type === 'ByUser' || type === 'ByNamespace' ? type : undefined,
    rules: objectsAt(spec, 'rules').map((rule) => ({
      subjects: objectsAt(rule, 'subjects').flatMap(subjectOf),
      resources: objectsAt(rule, 'resourceRules').map((r) => ({
        verbs: texts(r, 'verbs'),
        groups: texts(r, 'apiGroups'),
        resources: texts(r, 'resources'),
        clusterScope: boolAt(r, 'clusterScope'),
        namespaces: texts(r, 'namespaces'),
      })),
      paths: objectsAt(rule, 'nonResourceRules').map((r) => ({
        verbs: texts(r, 'verbs'),
        paths: texts(r, 'nonResourceURLs'),
      })),
    })),
  };
}

function subjectOf(subject: JsonObject): readonly Subject[] {
  switch (textAt(subject, 'kind')) {
    case 'User':
      return [{ kind: 'User', name: textAt(subject, 'user', 'name') }];
    case 'Group':
      return [{ kind: 'Group', name: textAt(subject, 'group', 'name') }];
    case 'ServiceAccount':
      return [
        {
          kind: 'ServiceAccount',
          namespace: textAt(subject, 'serviceAccount', 'namespace'),
          name: textAt(subject, 'serviceAccount', 'name'),
        },
      ];
    default:
      return [];
  }
}

/** Lower precedence first; ties are ordered by name. */
export const bySchemaOrder = (a: FlowSchema, b: FlowSchema): number =>
  a.precedence - b.precedence || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Returns the rules of a schema whose subjects include the user. A schema without any never matches this user. */
export function rulesFor(schema: FlowSchema, user: UserInfo): readonly Rule[] {
  return schema.rules.filter((rule) => rule.subjects.some((subject) => isSubject(subject, user)));
}

const SERVICE_ACCOUNT = 'system:serviceaccount:';

function isSubject(subject: Subject, user: UserInfo): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === ANY || subject.name === user.name;
    case 'Group':
      return subject.name === ANY || user.groups.includes(subject.name);
    case 'ServiceAccount': {
      const prefix = `${SERVICE_ACCOUNT}${subject.namespace}:`;
      if (subject.name !== ANY) return user.name === prefix + subject.name;
      return user.name.startsWith(prefix) && !user.name.includes(':', prefix.length);
    }
  }
}

/** Reports whether one of these rules covers the request. Subjects are not compared. */
export function covers(rules: readonly Rule[], request: FlowRequest): boolean {
  const { resource, verb, path } = request;
  for (const rule of rules) {
    if (resource === undefined ? rule.paths.some((r) => coversPath(r, verb, path)) : coversAny(rule, verb, resource))
      return true;
  }
  return false;
}

const coversAny = (rule: Rule, verb: string, resource: FlowResource): boolean =>
  rule.resources.some((r) => coversResource(r, verb, resource));

function coversResource(rule: ResourceRule, verb: string, { group, resource, namespace }: FlowResource): boolean {
  if (!has(rule.verbs, verb) || !has(rule.groups, group) || !has(rule.resources, resource)) return false;
  return namespace === '' ? rule.clusterScope : has(rule.namespaces, namespace);
}

function coversPath(rule: PathRule, verb: string, path: string): boolean {
  return has(rule.verbs, verb) && rule.paths.some((pattern) => matchesPath(pattern, path));
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === ANY || pattern === path) return true;
  return pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1));
}

const has = (list: readonly string[], value: string): boolean => list.includes(ANY) || list.includes(value);

/** Returns the text that distinguishes the flows of a schema. */
export function distinguisherOf(schema: FlowSchema, request: FlowRequest): string {
  switch (schema.distinguisher) {
    case 'ByUser':
      return request.user.name;
    case 'ByNamespace':
      return request.resource?.namespace ?? '';
    case undefined:
      return '';
  }
}
