import type { JsonObject, JsonValue } from '../../pkg/api/index.js';
import type { BaseName, Changes } from './resourceobjects.js';

/**
 * The statements of the resource reference (specification document 2, in its order), each as one request and what its response shows.
 * `resources.test.ts` plays them.
 */
export interface Statement {
  readonly section: string;
  readonly text: string;
  readonly of: BaseName;
  readonly on: 'create' | 'update' | 'status' | 'merge' | 'strategic' | 'delete' | 'get' | 'list';
  readonly changes: Changes;
  /** The subresource of a get or a patch. */
  readonly below?: string;
  /** Changes of the object that exists before the request, and its status. */
  readonly given?: Changes;
  readonly status?: JsonObject;
  readonly code: number;
  /** A field that a cause of the error names. */
  readonly field?: string;
  /** Values in the response, by path. */
  readonly shows?: Readonly<Record<string, JsonValue | undefined>>;
  /** Why kube-apiserver 1.37.2 answers otherwise: the document decides. */
  readonly differs?: string;
}

type More = Omit<Partial<Statement>, 'section' | 'text' | 'of' | 'changes'>;
type Row = readonly [text: string, changes: Changes, result: string | number | More];

/** A result is the field of a 422, the code of a success, or everything else. */
const rows = (section: string, of: BaseName, on: Statement['on'], ...all: readonly Row[]): readonly Statement[] =>
  all.map(([text, changes, result]) => {
    const more: More =
      typeof result === 'string'
        ? { code: 422, field: result }
        : typeof result === 'number'
          ? { code: result }
          : result;
    return { section, text, of, on, changes, ...more, code: more.code ?? (on === 'create' ? 201 : 200) };
  });

const long = (n: number, c = 'a'): string => c.repeat(n);
const IP = 'metadata.name';
const LIMIT = 'kube-apiserver keeps another limit';
const LOOSE = 'kube-apiserver does not check this';

const ipAddress: readonly Statement[] = [
  ...rows(
    'IPAddress',
    'ipaddress',
    'create',
    ['is valid with a parent', {}, 201],
    ['the name is IPv4 without leading zeros', { [IP]: '192.0.2.07' }, IP],
    ['the name may be IPv6', { [IP]: '2001:db8::7' }, 201],
    ['an IPv6 name is in the form of RFC 5952', { [IP]: '2001:db8:0:0::7' }, IP],
    ['an IPv6 name is in lower case', { [IP]: '2001:DB8::7' }, IP],
    ['an IPv4 address mapped to IPv6 is not canonical', { [IP]: '::ffff:192.0.2.7' }, IP],
    ['the name is an address', { [IP]: 'x' }, IP],
    ['spec.parentRef is required', { 'spec.parentRef': undefined }, 'spec.parentRef'],
    ['parentRef.name is required', { 'spec.parentRef.name': undefined }, 'spec.parentRef.name'],
    ['parentRef.resource is required', { 'spec.parentRef.resource': undefined }, 'spec.parentRef.resource'],
    ['parentRef.group is optional', { 'spec.parentRef.group': 'example.com' }, 201],
    ['parentRef.namespace is optional', { 'spec.parentRef.namespace': undefined }, 201],
  ),
  ...rows(
    'IPAddress',
    'ipaddress',
    'update',
    ['the parent does not change', { 'spec.parentRef.name': 'other' }, 'spec.parentRef'],
    ['the kind cannot be updated', { kind: 'Other' }, { code: 400 }],
  ),
];

const ingressClass: readonly Statement[] = [
  ...rows(
    'IngressClass',
    'ingressclass',
    'create',
    ['is valid with a controller', {}, 201],
    ['the controller is a path with a domain', { 'spec.controller': 'c' }, 'spec.controller'],
    ['the controller has at most 250 characters', { 'spec.controller': `example.com/${long(239)}` }, 'spec.controller'],
    ['a controller of 250 characters is valid', { 'spec.controller': `example.com/${long(238)}` }, 201],
    ['parameters.kind is required', { 'spec.parameters.kind': undefined }, 'spec.parameters.kind'],
    ['parameters.name is required', { 'spec.parameters.name': undefined }, 'spec.parameters.name'],
    ['the scope is Cluster by default', {}, { shows: { 'spec.parameters.scope': 'Cluster' } }],
    ['the scope is Cluster or Namespace', { 'spec.parameters.scope': 'Odd' }, 'spec.parameters.scope'],
    [
      'the namespace is required with the scope Namespace',
      { 'spec.parameters.scope': 'Namespace' },
      'spec.parameters.namespace',
    ],
    [
      'the namespace is not set with the scope Cluster',
      { 'spec.parameters.namespace': 'n' },
      'spec.parameters.namespace',
    ],
    [
      'the scope Namespace with a namespace is valid',
      { 'spec.parameters.scope': 'Namespace', 'spec.parameters.namespace': 'n' },
      201,
    ],
    ['without apiGroup the kind is in the core group', { 'spec.parameters.apiGroup': undefined }, 201],
    ['parameters are optional', { 'spec.parameters': undefined }, 201],
  ),
  ...rows(
    'IngressClass',
    'ingressclass',
    'update',
    ['the controller does not change', { 'spec.controller': 'example.com/d' }, 'spec.controller'],
    ['the parameters may change', { 'spec.parameters.name': 'q' }, { shows: { 'spec.parameters.name': 'q' } }],
  ),
];

const runtimeClass: readonly Statement[] = [
  ...rows(
    'RuntimeClass',
    'runtimeclass',
    'create',
    ['the handler is required', { handler: undefined }, 'handler'],
    ['the handler is in lower case', { handler: 'Runc' }, 'handler'],
    ['the handler is a DNS label', { handler: 'a.b' }, 'handler'],
    [
      'the overhead has resources',
      { 'overhead.podFixed': { cpu: '250m' } },
      { shows: { 'overhead.podFixed.cpu': '250m' } },
    ],
    ['the overhead is not negative', { 'overhead.podFixed': { cpu: '-1' } }, 'overhead.limits[cpu]'],
    ['scheduling has labels of nodes', { 'scheduling.nodeSelector': { a: 'b' } }, 201],
    ['the labels of nodes are labels', { 'scheduling.nodeSelector': { 'not valid!': 'b' } }, 'scheduling.nodeSelector'],
    ['scheduling has tolerations', { 'scheduling.tolerations': [{ key: 'a', operator: 'Exists' }] }, 201],
    [
      'scheduling has each toleration once',
      { 'scheduling.tolerations': [{ key: 'a' }, { key: 'a' }] },
      'scheduling.tolerations[1]',
    ],
  ),
  ...rows('RuntimeClass', 'runtimeclass', 'update', ['the handler does not change', { handler: 'kata' }, 'handler']),
];

const roleBinding: readonly Statement[] = [
  ...rows(
    'RoleBinding',
    'rolebinding',
    'create',
    ['is valid with a role', {}, 201],
    ['the name of the role is required', { 'roleRef.name': undefined }, 'roleRef.name'],
    ['the role is a Role or a ClusterRole', { 'roleRef.kind': 'Odd' }, 'roleRef.kind'],
    ['may refer to a role of the cluster', { 'roleRef.kind': 'ClusterRole' }, 201],
    ['subjects are optional', { subjects: undefined }, 201],
    ['a subject has a name', { subjects: [{ kind: 'User', name: '' }] }, 'subjects[0].name'],
  ),
  ...rows(
    'RoleBinding',
    'rolebinding',
    'update',
    ['the role does not change', { 'roleRef.name': 'other' }, 'roleRef'],
    ['the subjects may change', { subjects: [] }, 200],
  ),
];

const RC = 'ReplicationController';
const condition = (changes: JsonObject = {}): JsonObject => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'Because',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...changes,
});
const migrated = (changes: JsonObject = {}): JsonObject => condition({ type: 'Running', message: '', ...changes });

const replicationController: readonly Statement[] = [
  ...rows(
    RC,
    'replicationcontroller',
    'create',
    ['empty labels default to those of the pods', {}, { shows: { 'metadata.labels': { app: 'web' } } }],
    ['given labels stay', { 'metadata.labels': { a: 'b' } }, { shows: { 'metadata.labels': { a: 'b' } } }],
    ['an empty selector defaults to the labels of the template', {}, { shows: { 'spec.selector': { app: 'web' } } }],
    ['replicas default to 1', {}, { shows: { 'spec.replicas': 1 } }],
    ['0 replicas differ from none given', { 'spec.replicas': 0 }, { shows: { 'spec.replicas': 0 } }],
    ['replicas are not negative', { 'spec.replicas': -1 }, 'spec.replicas'],
    ['minReadySeconds is not negative', { 'spec.minReadySeconds': -1 }, 'spec.minReadySeconds'],
    ['minReadySeconds defaults to 0', {}, { shows: { 'spec.minReadySeconds': undefined } }],
    [
      'the restart policy is Always',
      { 'spec.template.spec.restartPolicy': 'Never' },
      'spec.template.spec.restartPolicy',
    ],
    [
      'the selector matches the labels of the template',
      { 'spec.selector': { app: 'other' } },
      'spec.template.metadata.labels',
    ],
    ['the template is required', { 'spec.template': undefined }, 'spec.template'],
    ['a create does not set the status', { status: { replicas: 7 } }, { shows: { 'status.replicas': 0 } }],
  ),
  ...rows(
    RC,
    'replicationcontroller',
    'update',
    ['an update does not set the status', { status: { replicas: 7 } }, { shows: { 'status.replicas': 0 } }],
    ['a change of the spec raises the generation', { 'spec.replicas': 3 }, { shows: { 'metadata.generation': 2 } }],
  ),
  ...rows(
    RC,
    'replicationcontroller',
    'status',
    [
      'the status has counts',
      {
        status: { replicas: 2, readyReplicas: 1, availableReplicas: 1, fullyLabeledReplicas: 2, observedGeneration: 1 },
      },
      { shows: { 'status.fullyLabeledReplicas': 2, 'status.observedGeneration': 1 } },
    ],
    ['replicas of the status are not negative', { status: { replicas: -1 } }, 'status.replicas'],
    ['readyReplicas are at most replicas', { status: { replicas: 1, readyReplicas: 2 } }, 'status.readyReplicas'],
    [
      'availableReplicas are at most readyReplicas',
      { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } },
      'status.availableReplicas',
    ],
    [
      'fullyLabeledReplicas are at most replicas',
      { status: { replicas: 1, fullyLabeledReplicas: 2 } },
      'status.fullyLabeledReplicas',
    ],
    ['a condition is valid', { status: { replicas: 0, conditions: [condition()] } }, 200],
    [
      'a condition has a type',
      { status: { replicas: 0, conditions: [condition({ type: '' })] } },
      { code: 422, field: 'status.conditions[0].type', differs: LOOSE },
    ],
    [
      'the status of a condition is True, False or Unknown',
      { status: { replicas: 0, conditions: [condition({ status: 'Odd' })] } },
      { code: 422, field: 'status.conditions[0].status', differs: LOOSE },
    ],
    [
      'the status does not change the spec',
      { 'spec.replicas': 5, status: { replicas: 1 } },
      { shows: { 'spec.replicas': 1, 'status.replicas': 1 } },
    ],
  ),
  ...rows(RC, 'replicationcontroller', 'strategic', [
    'conditions are merged by type',
    { status: { conditions: [condition({ type: 'Other' })] } },
    {
      below: 'status',
      status: { replicas: 0, conditions: [condition()] },
      shows: { 'status.conditions.0.type': 'Other', 'status.conditions.1.type': 'ReplicaFailure' },
    },
  ]),
  ...rows(RC, 'replicationcontroller', 'get', [
    'has a scale',
    {},
    { below: 'scale', shows: { kind: 'Scale', 'spec.replicas': 1 } },
  ]),
  ...rows(RC, 'replicationcontroller', 'merge', [
    'a patch of the scale sets the replicas',
    { spec: { replicas: 4 } },
    { below: 'scale', shows: { kind: 'Scale', 'spec.replicas': 4 } },
  ]),
  ...rows(RC, 'replicationcontroller', 'list', [
    'a list has its items',
    {},
    { shows: { kind: 'ReplicationControllerList', 'items.0.metadata.name': 'rule' } },
  ]),
];

const SVM = 'StorageVersionMigration';
const migration: readonly Statement[] = [
  ...rows(
    SVM,
    'migration',
    'create',
    ['the resource is required', { 'spec.resource.resource': undefined }, 'spec.resource.resource'],
    ['the group may be empty', { 'spec.resource.group': undefined, 'spec.resource.resource': 'pods' }, 201],
    [
      'a create does not set the status',
      { status: { resourceVersion: '5' } },
      { shows: { 'status.resourceVersion': undefined } },
    ],
  ),
  ...rows(SVM, 'migration', 'update', ['the resource does not change', { 'spec.resource.resource': 'others' }, 'spec']),
  ...rows(
    SVM,
    'migration',
    'status',
    ['a condition is valid', { status: { conditions: [migrated()] } }, 200],
    ['a condition has a type', { status: { conditions: [migrated({ type: '' })] } }, 'status.conditions[0].type'],
    [
      'the status of a condition is True, False or Unknown',
      { status: { conditions: [migrated({ status: 'Odd' })] } },
      'status.conditions[0].status',
    ],
    ['a condition has a reason', { status: { conditions: [migrated({ reason: '' })] } }, 'status.conditions[0].reason'],
    [
      'a condition has a time',
      { status: { conditions: [migrated({ lastTransitionTime: null as never })] } },
      'status.conditions[0].lastTransitionTime',
    ],
    ['a resource version is a number', { status: { resourceVersion: 'x' } }, 'status.resourceVersion'],
    [
      'a migration does not succeed and fail',
      { status: { conditions: [migrated({ type: 'Succeeded' }), migrated({ type: 'Failed' })] } },
      'status.conditions',
    ],
    [
      'the resource version is set once',
      { 'status.resourceVersion': '6' },
      { code: 422, field: 'status.resourceVersion', status: { resourceVersion: '5' } },
    ],
    [
      'a success stays',
      { 'status.conditions': [] },
      { code: 422, field: 'status.conditions', status: { conditions: [migrated({ type: 'Succeeded' })] } },
    ],
  ),
  ...rows(SVM, 'migration', 'strategic', [
    'conditions are merged by type',
    { status: { conditions: [migrated({ type: 'Other' })] } },
    {
      below: 'status',
      status: { conditions: [migrated()] },
      shows: { 'status.conditions.0.type': 'Other', 'status.conditions.1.type': 'Running' },
    },
  ]),
];

const VAPB = 'ValidatingAdmissionPolicyBinding';
const policyBinding: readonly Statement[] = rows(
  VAPB,
  'policybinding',
  'create',
  ['the policy is required', { 'spec.policyName': undefined }, 'spec.policyName'],
  ['actions are required', { 'spec.validationActions': [] }, 'spec.validationActions'],
  ['actions are Deny, Warn and Audit', { 'spec.validationActions': ['Odd'] }, 'spec.validationActions[0]'],
  ['Warn and Audit may be combined', { 'spec.validationActions': ['Audit', 'Warn'] }, 201],
  ['Deny and Warn are not combined', { 'spec.validationActions': ['Deny', 'Warn'] }, 'spec.validationActions'],
  ['an action is named once', { 'spec.validationActions': ['Audit', 'Audit'] }, 'spec.validationActions[1]'],
  ['match resources need no rules', { 'spec.matchResources': { namespaceSelector: { matchLabels: { a: 'b' } } } }, 201],
  ['a parameter has a name or a selector', { 'spec.paramRef': { parameterNotFoundAction: 'Deny' } }, 'spec.paramRef'],
  ['a parameter by name is valid', { 'spec.paramRef': { name: 'p', parameterNotFoundAction: 'Deny' } }, 201],
);

const DC = 'DeviceClass';
const deviceClass: readonly Statement[] = [
  ...rows(
    DC,
    'deviceclass',
    'create',
    ['a configuration has a driver', { 'spec.config.0.opaque.driver': undefined }, 'spec.config[0].opaque.driver'],
    ['the driver is a DNS subdomain', { 'spec.config.0.opaque.driver': 'a_b' }, 'spec.config[0].opaque.driver'],
    [
      'the driver is in lower case',
      { 'spec.config.0.opaque.driver': 'Example.com' },
      { code: 422, field: 'spec.config[0].opaque.driver', differs: LOOSE },
    ],
    ['parameters are required', { 'spec.config.0.opaque.parameters': undefined }, 'spec.config[0].opaque.parameters'],
    [
      'parameters have at most 10 Ki',
      { 'spec.config.0.opaque.parameters': { a: long(10 * 1024) } },
      'spec.config[0].opaque.parameters',
    ],
    ['a configuration is opaque', { 'spec.config.0': {} }, 'spec.config[0].opaque'],
    ['a selector has one field', { 'spec.selectors.0': {} }, 'spec.selectors[0].cel'],
    ['an expression is required', { 'spec.selectors.0.cel.expression': '' }, 'spec.selectors[0].cel.expression'],
    ['an expression compiles', { 'spec.selectors.0.cel.expression': 'device.' }, 'spec.selectors[0].cel.expression'],
    ['an expression is boolean', { 'spec.selectors.0.cel.expression': '"a"' }, 'spec.selectors[0].cel.expression'],
    [
      'an expression reads attributes by domain',
      { 'spec.selectors.0.cel.expression': 'device.attributes["example.com"].model == "m"' },
      201,
    ],
    [
      'an expression compares capacities',
      { 'spec.selectors.0.cel.expression': 'device.capacity["example.com"].memory.compareTo(quantity("1Gi")) >= 0' },
      201,
    ],
    [
      'an expression may bind',
      { 'spec.selectors.0.cel.expression': 'cel.bind(d, device.attributes["example.com"], d.a && d.b)' },
      201,
    ],
    [
      'an expression reads allowMultipleAllocations',
      { 'spec.selectors.0.cel.expression': 'device.allowMultipleAllocations == true' },
      201,
    ],
    [
      'an expression has at most 10 Ki',
      { 'spec.selectors.0.cel.expression': `"${long(10 * 1024)}" == ""` },
      'spec.selectors[0].cel.expression',
    ],
    [
      'the extended resource has the format of a pod',
      { 'spec.extendedResourceName': 'example.com/gpu' },
      { shows: { 'spec.extendedResourceName': 'example.com/gpu' } },
    ],
    ['an extended resource has a domain', { 'spec.extendedResourceName': 'gpu' }, 'spec.extendedResourceName'],
    ['a class of a new object has generation 1', {}, { shows: { 'metadata.generation': 1 } }],
  ),
  ...rows(
    DC,
    'deviceclass',
    'update',
    ['a change of the spec raises the generation', { 'spec.selectors': [] }, { shows: { 'metadata.generation': 2 } }],
    [
      'a change of the metadata keeps the generation',
      { 'metadata.labels': { a: 'b' } },
      { shows: { 'metadata.generation': 1 } },
    ],
  ),
];

const CLAIM = 'Device requests';
const EXACT = 'spec.devices.requests.0.exactly';
const EXACT_FIELD = 'spec.devices.requests[0].exactly';
const SUB = 'spec.devices.requests.0.firstAvailable.0';
const SUB_FIELD = 'spec.devices.requests[0].firstAvailable[0]';
const tolerations = (n: number): JsonValue[] =>
  Array.from({ length: n }, (_, i) => ({ key: `k${i}`, operator: 'Exists' }));

const claims: readonly Statement[] = [
  ...rows(
    CLAIM,
    'claim',
    'create',
    ['the name is required', { 'spec.devices.requests.0.name': '' }, 'spec.devices.requests[0].name'],
    ['the name is a DNS label', { 'spec.devices.requests.0.name': 'A' }, 'spec.devices.requests[0].name'],
    ['a request is exact or a choice', { 'spec.devices.requests.0.exactly': undefined }, 'spec.devices.requests[0]'],
    [
      'a request is not both',
      { 'spec.devices.requests.0.firstAvailable': [{ name: 's', deviceClassName: 'c' }] },
      'spec.devices.requests[0]',
    ],
    [
      'a name is used once',
      { 'spec.devices.requests.1': { name: 'r', exactly: { deviceClassName: 'c' } } as never },
      { code: 422 },
    ],
    ['the class is required', { [`${EXACT}.deviceClassName`]: '' }, `${EXACT_FIELD}.deviceClassName`],
    [
      'the mode is ExactCount by default, of 1',
      {},
      { shows: { [`${EXACT}.allocationMode`]: 'ExactCount', [`${EXACT}.count`]: 1 } },
    ],
    [
      'the mode All has no count',
      { [`${EXACT}.allocationMode`]: 'All', [`${EXACT}.count`]: 2 },
      `${EXACT_FIELD}.count`,
    ],
    ['other modes are unknown', { [`${EXACT}.allocationMode`]: 'Odd' }, `${EXACT_FIELD}.allocationMode`],
    ['the count is greater than zero', { [`${EXACT}.count`]: -1 }, `${EXACT_FIELD}.count`],
    ['adminAccess needs a namespace for it', { [`${EXACT}.adminAccess`]: true }, { code: 422 }],
    [
      'a toleration is equal by default',
      { [`${EXACT}.tolerations`]: [{ key: 'a', value: 'b' }] },
      { shows: { [`${EXACT}.tolerations.0.operator`]: 'Equal' } },
    ],
    ['16 tolerations are valid', { [`${EXACT}.tolerations`]: tolerations(16) }, 201],
    [
      'there are at most 16 tolerations',
      { [`${EXACT}.tolerations`]: tolerations(17) },
      { code: 422, field: `${EXACT_FIELD}.tolerations`, differs: LIMIT },
    ],
    ['an empty key needs Exists', { [`${EXACT}.tolerations`]: [{ value: 'b' }] }, { code: 422, differs: LOOSE }],
    ['an empty key with Exists matches all', { [`${EXACT}.tolerations`]: [{ operator: 'Exists' }] }, 201],
    [
      'the key is a label name',
      { [`${EXACT}.tolerations`]: [{ key: 'not valid!', operator: 'Exists' }] },
      `${EXACT_FIELD}.tolerations[0].key`,
    ],
    [
      'a value is a label value',
      { [`${EXACT}.tolerations`]: [{ key: 'a', value: 'not valid!' }] },
      `${EXACT_FIELD}.tolerations[0].value`,
    ],
    [
      'Exists has no value',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      `${EXACT_FIELD}.tolerations[0].value`,
    ],
    [
      'other operators are unknown',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Odd' }] },
      `${EXACT_FIELD}.tolerations[0].operator`,
    ],
    [
      'effects are NoSchedule, NoExecute and None',
      {
        [`${EXACT}.tolerations`]: ['NoSchedule', 'NoExecute', 'None'].map((effect) => ({
          key: 'a',
          operator: 'Exists',
          effect,
        })),
      },
      201,
    ],
    [
      'other effects are unknown',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'Odd' }] },
      `${EXACT_FIELD}.tolerations[0].effect`,
    ],
    [
      'seconds need NoExecute',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] },
      { code: 422, differs: LOOSE },
    ],
    [
      'seconds with NoExecute are valid',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
      201,
    ],
    [
      'seconds may be negative',
      { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -5 }] },
      201,
    ],
  ),
  ...rows(CLAIM, 'claim', 'update', ['the spec does not change', { [`${EXACT}.count`]: 2 }, 'spec']),
  ...rows(
    'Device sub-requests',
    'choice',
    'create',
    ['are valid', {}, { shows: { [`${SUB}.allocationMode`]: 'ExactCount', [`${SUB}.count`]: 1 } }],
    ['the name is a DNS label', { [`${SUB}.name`]: 'A' }, `${SUB_FIELD}.name`],
    ['the class is required', { [`${SUB}.deviceClassName`]: '' }, `${SUB_FIELD}.deviceClassName`],
    ['other modes are unknown', { [`${SUB}.allocationMode`]: 'Odd' }, `${SUB_FIELD}.allocationMode`],
    ['the count is greater than zero', { [`${SUB}.count`]: -1 }, `${SUB_FIELD}.count`],
    [
      'there are at most 16 tolerations',
      { [`${SUB}.tolerations`]: tolerations(17) },
      { code: 422, field: `${SUB_FIELD}.tolerations`, differs: LIMIT },
    ],
    ['a selector has one field', { [`${SUB}.selectors`]: [{}] }, `${SUB_FIELD}.selectors[0].cel`],
    [
      'a constraint may name one',
      { 'spec.devices.constraints': [{ requests: ['r/s'], matchAttribute: 'example.com/a' }] },
      201,
    ],
    [
      'a constraint names an existing one',
      { 'spec.devices.constraints': [{ requests: ['r/t'], matchAttribute: 'example.com/a' }] },
      'spec.devices.constraints[0].requests[0]',
    ],
  ),
];

const ALLOCATION = 'Allocation results';
const result = (changes: JsonObject = {}): JsonObject => ({
  request: 'r',
  driver: 'example.com',
  pool: 'pool',
  device: 'd',
  ...changes,
});
const allocated = (...results: readonly JsonObject[]): JsonObject => ({
  allocation: { devices: { results: [...results] } },
});
const RESULT = 'status.allocation.devices.results[0]';
const allocation: readonly Statement[] = rows(
  ALLOCATION,
  'claim',
  'status',
  ['are valid', { status: allocated(result()) }, { shows: { 'status.allocation.devices.results.0.device': 'd' } }],
  ['name a request', { status: allocated(result({ request: 'other' })) }, `${RESULT}.request`],
  ['the driver is required', { status: allocated(result({ driver: '' })) }, `${RESULT}.driver`],
  [
    'the driver is in lower case',
    { status: allocated(result({ driver: 'Example.com' })) },
    { code: 422, field: `${RESULT}.driver`, differs: LOOSE },
  ],
  ['the pool is required', { status: allocated(result({ pool: '' })) }, `${RESULT}.pool`],
  [
    'the pool has at most 253 characters',
    { status: allocated(result({ pool: Array(5).fill(long(60)).join('/') })) },
    `${RESULT}.pool`,
  ],
  ['the pool has segments', { status: allocated(result({ pool: 'a.b/c' })) }, 200],
  ['the segments of the pool are DNS subdomains', { status: allocated(result({ pool: 'a/B' })) }, `${RESULT}.pool`],
  ['the device is a DNS label', { status: allocated(result({ device: 'A' })) }, `${RESULT}.device`],
  [
    'there are at most 32',
    { status: allocated(...Array.from({ length: 33 }, (_, i) => result({ device: `d${i}` }))) },
    'status.allocation.devices.results',
  ],
  [
    'tolerations are at most 16',
    { status: allocated(result({ tolerations: tolerations(17) })) },
    { code: 422, field: `${RESULT}.tolerations`, differs: LIMIT },
  ],
);

const TAINT = 'DeviceTaintRule';
const taintRule: readonly Statement[] = [
  ...rows(
    TAINT,
    'taintrule',
    'create',
    ['an effect is NoSchedule, NoExecute or None', { 'spec.taint.effect': 'Odd' }, 'spec.taint.effect'],
    ['None is an effect', { 'spec.taint.effect': 'None' }, 201],
    ['the key is required', { 'spec.taint.key': undefined }, 'spec.taint.key'],
    ['the status is not set', { status: { conditions: [migrated()] } }, { shows: { 'status.conditions': undefined } }],
  ),
  ...rows(TAINT, 'taintrule', 'delete', ['a deletion answers with a Status or the object', {}, 200]),
];

const SLICE = 'EndpointSlice';
const endpoints = (n: number): JsonValue[] =>
  Array.from({ length: n }, (_, i) => ({ addresses: [`10.1.${i >> 8}.${i & 255}`] }));
const ports = (n: number): JsonValue[] => Array.from({ length: n }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
const zones = (n: number): JsonValue[] => Array.from({ length: n }, (_, i) => ({ name: `z${i}` }));
const endpointSlice: readonly Statement[] = [
  ...rows(
    SLICE,
    'endpointslice',
    'create',
    ['the address type is required', { addressType: undefined }, 'addressType'],
    ['the address type is IPv4, IPv6 or FQDN', { addressType: 'Odd' }, 'addressType'],
    ['FQDN is a type', { addressType: 'FQDN', endpoints: [{ addresses: ['a.example.com'] }] }, 201],
    [
      'all addresses have the type of the slice',
      { 'endpoints.0.addresses': ['2001:db8::1'] },
      'endpoints[0].addresses',
    ],
    ['an endpoint has an address', { 'endpoints.0.addresses': [] }, 'endpoints[0].addresses'],
    [
      'an endpoint has at most 100 addresses',
      { 'endpoints.0.addresses': Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) },
      'endpoints[0].addresses',
    ],
    ['1000 endpoints are valid', { endpoints: endpoints(1000) }, 201],
    ['there are at most 1000 endpoints', { endpoints: endpoints(1001) }, 'endpoints'],
    ['100 ports are valid', { ports: ports(100) }, 201],
    ['there are at most 100 ports', { ports: ports(101) }, { code: 422, field: 'ports', differs: LIMIT }],
    ['names of ports are unique', { ports: [{ name: 'a' }, { name: 'a' }] }, 'ports[1].name'],
    ['the name of a port is a DNS label', { 'ports.0.name': 'A' }, 'ports[0].name'],
    ['the name of a port may be empty', { 'ports.0.name': '' }, 201],
    ['the name of a port has at most 63 characters', { 'ports.0.name': long(64) }, 'ports[0].name'],
    ['a port may be unset', { 'ports.0.port': undefined }, 201],
    ['the protocol is TCP by default', {}, { shows: { 'ports.0.protocol': 'TCP' } }],
    ['other protocols are unknown', { 'ports.0.protocol': 'Odd' }, 'ports[0].protocol'],
    ['an application protocol has label syntax', { 'ports.0.appProtocol': 'kubernetes.io/h2c' }, 201],
    [
      'an application protocol without label syntax is invalid',
      { 'ports.0.appProtocol': 'not valid!' },
      'ports[0].appProtocol',
    ],
    ['a host name is a DNS label', { 'endpoints.0.hostname': 'A' }, 'endpoints[0].hostname'],
    ['conditions may be unset', { 'endpoints.0.conditions': {} }, 201],
    [
      'conditions are kept',
      { 'endpoints.0.conditions': { ready: true, serving: true, terminating: false } },
      { shows: { 'endpoints.0.conditions.serving': true } },
    ],
    ['8 zones are valid', { 'endpoints.0.hints.forZones': zones(8) }, 201],
    ['there are at most 8 zones', { 'endpoints.0.hints.forZones': zones(9) }, 'endpoints[0].hints.forZones'],
    ['a zone has a name', { 'endpoints.0.hints.forZones': [{}] as never }, { code: 422, differs: LOOSE }],
    ['8 nodes are valid', { 'endpoints.0.hints.forNodes': zones(8) }, 201],
    ['there are at most 8 nodes', { 'endpoints.0.hints.forNodes': zones(9) }, 'endpoints[0].hints.forNodes'],
    [
      'deprecatedTopology is not written',
      { 'endpoints.0.deprecatedTopology': { a: 'b' } },
      { shows: { 'endpoints.0.deprecatedTopology': undefined } },
    ],
  ),
  ...rows(
    SLICE,
    'endpointslice',
    'update',
    ['the address type does not change', { addressType: 'IPv6' }, 'addressType'],
    [
      'a change of the labels raises the generation',
      { 'metadata.labels': { 'kubernetes.io/service-name': 's' } },
      { shows: { 'metadata.generation': 2 } },
    ],
  ),
];

const FINALIZER: Changes = { 'metadata.finalizers': ['example.com/f'] };
const deletion: readonly Statement[] = [
  ...rows(
    'Deletion',
    'ingressclass',
    'delete',
    ['a completed one answers 200 with a Status', {}, { shows: { kind: 'Status', status: 'Success' } }],
    [
      'a pending one answers with the object',
      {},
      { given: FINALIZER, shows: { kind: 'IngressClass', 'metadata.finalizers.0': 'example.com/f' } },
    ],
    [
      'a pending one of a foreground deletion answers with the object',
      { propagationPolicy: 'Foreground' },
      { given: FINALIZER, shows: { kind: 'IngressClass', 'metadata.finalizers.1': 'foregroundDeletion' } },
    ],
    ['one with a wrong uid conflicts', { preconditions: { uid: 'x' } }, { code: 409 }],
    ['a dry run deletes nothing', { dryRun: ['All'] }, { shows: { kind: 'Status', status: 'Success' } }],
  ),
  ...rows('Deletion', 'endpointslice', 'delete', ['a slice is deleted', {}, { shows: { kind: 'Status' } }]),
  ...rows('Deletion', 'replicationcontroller', 'delete', [
    'a controller is deleted',
    { propagationPolicy: 'Background' },
    { shows: { kind: 'Status' } },
  ]),
  ...rows('Deletion', 'deviceclass', 'delete', [
    'a class is deleted and shown',
    {},
    { shows: { kind: 'DeviceClass' } },
  ]),
];

/** What differential fuzzing found in kinds beyond the document. */
const found: readonly Statement[] = [
  ...rows(
    'Pod status',
    'pod',
    'status',
    [
      'podIP is the first of podIPs',
      { status: { podIP: '192.0.2.1' } },
      { shows: { 'status.podIPs.0.ip': '192.0.2.1' } },
    ],
    ['hostIP does not need hostIPs', { status: { hostIP: 'a' } }, 200],
    ['hostIPs begin with hostIP', { status: { hostIPs: [{ ip: '192.0.2.1' }] } }, 'status.hostIPs[0].ip'],
    ['hostIPs are addresses', { status: { hostIP: 'a', hostIPs: [{ ip: 'a' }] } }, 'status.hostIPs[0]'],
    [
      'hostIPs have one address of each family',
      { status: { hostIP: '192.0.2.1', hostIPs: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }] } },
      'status.hostIPs',
    ],
    ['observedGeneration is not negative', { status: { observedGeneration: -1 } }, 'status.observedGeneration'],
    [
      'conditions have a generation that is not negative',
      { status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: -1 }] } },
      'status.conditions[0].observedGeneration',
    ],
    [
      'the claim of extended resources maps requests',
      { status: { extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: 'c' } } },
      'status.extendedResourceClaimStatus.requestMappings',
    ],
    [
      'the claim of extended resources has a name',
      { status: { extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: '' } } },
      'status.extendedResourceClaimStatus.resourceClaimName',
    ],
    [
      'mapped requests are of containers',
      {
        status: {
          extendedResourceClaimStatus: {
            requestMappings: [{ containerName: 'x', resourceName: 'example.com/x', requestName: 'r' }],
            resourceClaimName: 'c',
          },
        },
      },
      'status.extendedResourceClaimStatus.requestMappings[0].containerName',
    ],
    [
      'allocated resources are requested',
      {
        status: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              allocatedResourcesStatus: [{ name: 'example.com/x', resources: [] }],
            },
          ],
        },
      },
      'status.containerStatuses[0].allocatedResourcesStatus[0].name',
    ],
    [
      'ephemeral containers have no allocated resources',
      {
        status: {
          ephemeralContainerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              allocatedResourcesStatus: [{ name: 'x' }],
            },
          ],
        },
      },
      'status.ephemeralContainerStatuses[0].allocatedResourcesStatus',
    ],
    [
      'the user of a container is any number of Linux',
      {
        status: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              user: { linux: { uid: 4294967295, gid: 0 } },
            },
          ],
        },
      },
      200,
    ],
    [
      'the user of a container is in range',
      {
        status: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              user: { linux: { uid: 4294967296, gid: 0 } },
            },
          ],
        },
      },
      'status.containerStatuses[0].user.linux.uid',
    ],
    [
      'a terminated container does not run again',
      { 'status.containerStatuses.0.state': { running: {} } },
      {
        code: 422,
        field: 'status.containerStatuses[0].state',
        status: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              state: { terminated: { exitCode: 1 } },
            },
          ],
        },
      },
    ],
  ),
  ...rows(
    'VolumeAttachment',
    'volumeattachment',
    'status',
    [
      'the message of an error has at most 1024 bytes',
      { status: { attached: false, attachError: { message: long(1025) } } },
      'status.attachError.message',
    ],
    [
      'the code of an error is not negative',
      { status: { attached: false, detachError: { errorCode: -1 } } },
      'status.detachError.errorCode',
    ],
    [
      'labels stay',
      { 'metadata.labels': { a: 'b' }, status: { attached: true } },
      { shows: { 'metadata.labels': undefined, 'status.attached': true } },
    ],
  ),
  ...rows(
    'ValidatingAdmissionPolicy',
    'policy',
    'status',
    [
      'a warning has a text',
      { status: { typeChecking: { expressionWarnings: [{ fieldRef: 'spec.x', warning: '' }] } } },
      'status.typeChecking.expressionWarnings[0].warning',
    ],
    [
      'a warning refers to a field',
      { status: { typeChecking: { expressionWarnings: [{ fieldRef: ' ', warning: 'w' }] } } },
      'status.typeChecking.expressionWarnings[0].fieldRef',
    ],
  ),
  ...rows(
    'ValidatingAdmissionPolicy',
    'policy',
    'create',
    [
      'a wildcard covers what comes after it',
      { 'spec.matchConstraints.resourceRules.0.resources': ['things/*', 'things/status'] },
      'spec.matchConstraints.resourceRules[0].resources[1]',
    ],
    [
      'a wildcard does not cover what comes before it',
      { 'spec.matchConstraints.resourceRules.0.resources': ['things/status', 'things/*'] },
      201,
    ],
  ),
  ...rows('ResourceQuota', 'quota', 'update', [
    'a scope may be repeated',
    { 'spec.scopes': ['BestEffort', 'BestEffort'] },
    200,
  ]),
];

export const statements: readonly Statement[] = [
  ...ipAddress,
  ...ingressClass,
  ...runtimeClass,
  ...roleBinding,
  ...replicationController,
  ...migration,
  ...policyBinding,
  ...deviceClass,
  ...claims,
  ...allocation,
  ...taintRule,
  ...endpointSlice,
  ...deletion,
  ...found,
];
