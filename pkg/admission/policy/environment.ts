import {
  BOOL,
  DYN,
  type Environment,
  INT,
  kubernetesEnvironment,
  listOf,
  type Minor,
  mapOf,
  opaque,
  STRING,
  type StructType,
  struct,
  TIMESTAMP,
  type Type,
} from '../../cel/index.js';

/** A type with fixed fields. */
function structType(name: string, fields: Readonly<Record<string, Type>>): StructType {
  return { name, field: (f) => (Object.hasOwn(fields, f) ? fields[f] : undefined) };
}

const STRINGS = listOf(STRING);

/** The type of `request` in expressions: AdmissionRequest of admission.k8s.io/v1, without the objects. */
const REQUEST_TYPES: readonly StructType[] = [
  structType('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING }),
  structType('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING }),
  structType('kubernetes.UserInfo', { username: STRING, uid: STRING, groups: STRINGS, extra: mapOf(STRING, STRINGS) }),
  structType('kubernetes.AdmissionRequest', {
    kind: struct('kubernetes.GroupVersionKind'),
    resource: struct('kubernetes.GroupVersionResource'),
    subResource: STRING,
    requestKind: struct('kubernetes.GroupVersionKind'),
    requestResource: struct('kubernetes.GroupVersionResource'),
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo: struct('kubernetes.UserInfo'),
    dryRun: BOOL,
    options: DYN,
  }),
];

/** The type of `namespaceObject`. Owners and managed fields are omitted. */
const NAMESPACE_TYPES: readonly StructType[] = [
  structType('kubernetes.NamespaceSpec', { finalizers: STRINGS }),
  structType('kubernetes.NamespaceCondition', {
    status: STRING,
    type: STRING,
    lastTransitionTime: TIMESTAMP,
    message: STRING,
    reason: STRING,
  }),
  structType('kubernetes.NamespaceStatus', {
    conditions: listOf(struct('kubernetes.NamespaceCondition')),
    phase: STRING,
  }),
  structType('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: STRINGS,
  }),
  structType('kubernetes.Namespace', {
    metadata: struct('kubernetes.NamespaceMetadata'),
    status: struct('kubernetes.NamespaceStatus'),
    spec: struct('kubernetes.NamespaceSpec'),
  }),
];

export interface DeclaredVariables {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Whether `authorizer.requestResource` is declared with the authorizer; default true. */
  readonly requestResource?: boolean;
  /** Types of `variables.<name>`; undefined if there are no variables, as in match conditions. */
  readonly variables?: ReadonlyMap<string, Type>;
  /** The type of `object` and `oldObject`; dynamic unless type checking is enabled. */
  readonly object?: Type;
  readonly paramsType?: Type;
}

export const VARIABLES_TYPE = 'kubernetes.variables';
const AUTHORIZER = opaque('kubernetes.authorization.Authorizer');

/** The CEL environment of policies, bindings and match conditions. */
export function policyEnvironment(minor: Minor, declared: DeclaredVariables): Environment {
  const object = declared.object ?? DYN;
  const variables: Record<string, Type> = {
    object,
    oldObject: object,
    request: struct('kubernetes.AdmissionRequest'),
    namespaceObject: struct('kubernetes.Namespace'),
  };
  const structs = [...REQUEST_TYPES, ...NAMESPACE_TYPES];
  if (declared.params) variables['params'] = declared.paramsType ?? DYN;
  if (declared.authorizer) {
    variables['authorizer'] = AUTHORIZER;
    if (declared.requestResource !== false)
      variables['authorizer.requestResource'] = opaque('kubernetes.authorization.ResourceCheck');
  }
  if (declared.variables !== undefined) {
    const types = declared.variables;
    variables['variables'] = struct(VARIABLES_TYPE);
    structs.push({ name: VARIABLES_TYPE, field: (name) => types.get(name) });
  }
  return kubernetesEnvironment(minor).extend(variables, structs);
}
