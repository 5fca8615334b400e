import {
  type FieldErrors,
  FieldPath,
  formatTime,
  isDns1035Label,
  isDns1123Subdomain,
  type JsonObject,
  pathSegmentName,
  setOwn,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, boolAt, numberAt, objectAt, objectsAt, textAt } from '../access.js';
import { statusAlone, versions, withoutTable, withStatus } from '../form.js';
import { sentences } from '../rules.js';
import { AGE, age, column, table } from '../table.js';

type ApiService = shapes.ApiregistrationV1APIService;

const SPEC = FieldPath.of('spec');
const GROUP_PRIORITY_MAX = 20_000;
const VERSION_PRIORITY_MAX = 1000;
const PORT_DEFAULT = 443;

/** An APIService: a group version that this server serves itself, or that it forwards to another server. */
export const apiService: ResourceDeclaration<ApiService> = {
  group: 'apiregistration.k8s.io',
  resource: 'apiservices',
  singular: 'apiservice',
  kind: 'APIService',
  categories: ['api-extensions'],
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus<ApiService>({
    defaults: (o) => {
      const service = at(o, 'spec', 'service');
      if (service !== undefined && at(service, 'port') === undefined) (service as JsonObject)['port'] = PORT_DEFAULT;
    },
    create: {
      validateName: (name, isPrefix, o) => {
        const wrong = pathSegmentName(name, isPrefix);
        return wrong.length > 0 ? wrong : misnamed(name, o);
      },
      prepare: (o, { world }) => {
        if (at(o, 'spec', 'service') === undefined)
          setOwn(o, 'status', { conditions: [localCondition(formatTime(world.clock.now()))] });
      },
      validate,
    },
    update: { generation: 'none', allowUnconditional: false },
    compatibility: { anyFinalizers: true, checksUpdateLikeNew: 'always', repeatsErrors: true },
  }),
  subresources: {
    status: withoutTable(
      statusAlone<ApiService>({ update: { validate: (o, _old, errors) => validateStatus(o, errors) } }),
    ),
  },
  table: {
    ...table(
      [
        column('Service', 'The service that serves the version; Local for this server.'),
        column('Available', 'Whether the version is served.'),
        AGE,
      ],
      (o, now) => [serviceCell(o), availableCell(o), age(o, now)],
    ),
    columnsInEachEvent: true,
  },
};

/** A local APIService is available from its creation, and no manager owns its status. */
const localCondition = (lastTransitionTime: string): JsonObject => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime,
  reason: 'Local',
  message: 'Local APIServices are always available',
});

function serviceCell(o: JsonObject): string {
  const service = at(o, 'spec', 'service');
  return service === undefined ? 'Local' : `${textAt(service, 'namespace')}/${textAt(service, 'name')}`;
}

function availableCell(o: JsonObject): string {
  const condition = objectsAt(o, 'status', 'conditions').find((c) => textAt(c, 'type') === 'Available');
  if (condition === undefined) return 'Unknown';
  const status = textAt(condition, 'status');
  return status === 'True' ? status : `${status} (${textAt(condition, 'reason')})`;
}

/** The name is that of the group version. */
function misnamed(name: string, o: JsonObject): readonly string[] {
  const right = `${textAt(o, 'spec', 'version')}.${textAt(o, 'spec', 'group')}`;
  return name === right ? [] : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(right)}`];
}

function validate(o: JsonObject, errors: FieldErrors): void {
  const spec = objectAt(o, 'spec');
  const group = textAt(spec, 'group');
  const version = textAt(spec, 'version');
  if (group !== '') sentences(group, isDns1123Subdomain, SPEC.child('group'), errors);
  else if (version !== 'v1')
    errors.required(SPEC.child('group'), 'only v1 may have an empty group and it better be legacy kube');
  sentences(version, isDns1035Label, SPEC.child('version'), errors);
  priority(spec, 'groupPriorityMinimum', GROUP_PRIORITY_MAX, errors);
  priority(spec, 'versionPriority', VERSION_PRIORITY_MAX, errors);
  const caBundle = textAt(spec, 'caBundle');
  const insecure = boolAt(spec, 'insecureSkipTLSVerify');
  const service = at(spec, 'service');
  if (service === undefined) {
    if (caBundle !== '')
      errors.invalid(SPEC.child('caBundle'), bytesText(caBundle), 'local APIServices may not have a caBundle');
    if (insecure)
      errors.invalid(
        SPEC.child('insecureSkipTLSVerify'),
        insecure,
        'local APIServices may not have insecureSkipTLSVerify',
      );
    return;
  }
  const path = SPEC.child('service');
  if (textAt(service, 'namespace') === '') errors.required(path.child('namespace'));
  if (textAt(service, 'name') === '') errors.required(path.child('name'));
  const port = numberAt(service, 'port');
  if (port < 1 || port > 65_535)
    errors.invalid(path.child('port'), port, 'port is not valid: must be between 1 and 65535, inclusive');
  if (insecure && caBundle !== '')
    errors.invalid(SPEC.child('insecureSkipTLSVerify'), insecure, 'may not be true if caBundle is present');
}

function priority(
  spec: JsonObject,
  field: 'groupPriorityMinimum' | 'versionPriority',
  max: number,
  errors: FieldErrors,
): void {
  const value = numberAt(spec, field);
  if (value <= 0 || value > max) errors.invalid(SPEC.child(field), value, `must be positive and less than ${max}`);
}

const bytesText = (base64: string): string => `${Buffer.from(base64, 'base64').length} bytes`;

const STATUSES = ['True', 'False', 'Unknown'];

function validateStatus(o: JsonObject, errors: FieldErrors): void {
  for (const [i, condition] of objectsAt(o, 'status', 'conditions').entries()) {
    const status = textAt(condition, 'status');
    if (!STATUSES.includes(status))
      errors.notSupported(FieldPath.of('status', 'conditions').index(i).child('status'), status, STATUSES);
  }
}
