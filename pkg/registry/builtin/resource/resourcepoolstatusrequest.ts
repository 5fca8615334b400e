import { equalJson, type FieldErrors, type FieldName, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt, objectsAt, textAt } from '../access.js';
import { statusAlone, versions, withoutTable, withStatus } from '../form.js';
import { shown } from '../rules.js';
import { conditionList } from '../status/conditions.js';
import { column, since, table } from '../table.js';

type Request = Shaped<shapes.ResourceV1alpha3ResourcePoolStatusRequest>;

export const resourcePoolStatusRequest: ResourceDeclaration<shapes.ResourceV1alpha3ResourcePoolStatusRequest> = {
  group: 'resource.k8s.io',
  resource: 'resourcepoolstatusrequests',
  singular: 'resourcepoolstatusrequest',
  kind: 'ResourcePoolStatusRequest',
  versions: versions('v1alpha3'),
  storageVersion: 'v1alpha3',
  namespaced: false,
  strategy: withStatus({
    update: { allowUnconditional: false, generation: 'none' },
    deletion: { returnsObject: true },
  }),
  subresources: {
    status: withoutTable(statusAlone({ update: { allowUnconditional: false, validate: validateStatus } })),
  },
  table: table(
    [
      column('Driver', 'The driver whose pools are reported.'),
      column('Total', 'Devices in its pools.'),
      column('Available', 'Devices that are free.'),
      column('Allocated', 'Devices that are taken.'),
      column('Unavailable', 'Devices that cannot be taken.'),
      column('Errors', 'Pools that could not be counted.'),
      column('Pools', 'Number of pools.', { type: 'integer' }),
      column('Status', 'Pending, complete or failed.'),
      column('Completed', 'Time since it was answered.'),
    ],
    (o, now) => {
      const pools = objectsAt(o, 'status', 'pools');
      const verdict = objectsAt(o, 'status', 'conditions').find(
        (c) => VERDICTS.includes(textAt(c, 'type')) && textAt(c, 'status') === 'True',
      );
      const counted = at(o, 'status') !== undefined && textAt(verdict, 'type') !== 'Failed';
      const shown = (number: number): string => (counted ? String(number) : '-');
      const sum = (field: FieldName<shapes.ResourceV1alpha3PoolStatus>): string =>
        shown(pools.reduce((n, p) => n + numberAt(p, field), 0));
      const count = numberAt(o, 'status', 'poolCount');
      const complete = textAt(verdict, 'type') === 'Complete';
      const cut = complete && count > pools.length ? ` (${pools.length}/${count} pools)` : '';
      return [
        textAt(o, 'spec', 'driver'),
        sum('totalDevices'),
        sum('availableDevices'),
        sum('allocatedDevices'),
        sum('unavailableDevices'),
        shown(pools.filter((p) => at(p, 'validationError') !== undefined).length),
        count,
        verdict === undefined ? 'Pending' : `${textAt(verdict, 'type')}${cut}`,
        complete ? since(textAt(verdict, 'lastTransitionTime'), now) : '<none>',
      ];
    },
  ),
};

/** A request is answered once. */
function validateStatus(o: Request, old: Request, errors: FieldErrors): void {
  const path = FieldPath.in<shapes.ResourceV1alpha3ResourcePoolStatusRequest>().child('status');
  const [status, before] = [at(o, 'status'), at(old, 'status')];
  if (before === undefined) conditionList(objectsAt(o, 'status', 'conditions'), path.child('conditions'), errors);
  else if (!equalJson(status ?? null, before))
    errors.invalid(
      path,
      status === undefined ? null : shown('resource/v1alpha3.ResourcePoolStatusRequestStatus', status),
      'field is immutable',
    );
}

const VERDICTS = ['Complete', 'Failed'];
