import { type FieldErrors, FieldPath, isDns1123Label, isObject, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { at, objectAt, objectsAt, textAt } from '../access.js';
import { statusAlone, versions, withoutTable, withStatus } from '../form.js';
import { driverName, sentences } from '../rules.js';
import { conditionList } from '../status/conditions.js';
import { AGE, age, column, since, table } from '../table.js';
import { poolName, stampTaints, taint } from './validation.js';

const CONDITIONS_MAX = 8;

/** kube-apiserver's storage of v1 is another one than that of the older versions. */
const isOld = (version: string): boolean => version !== 'v1';

export const deviceTaintRule: ResourceDeclaration<shapes.ResourceV1DeviceTaintRule> = {
  group: 'resource.k8s.io',
  resource: 'devicetaintrules',
  singular: 'devicetaintrule',
  kind: 'DeviceTaintRule',
  versions: versions('v1', 'v1beta2', 'v1alpha3'),
  storageVersion: 'v1beta2',
  namespaced: false,
  strategy: withStatus({
    defaults: (o, now) => {
      if (now !== undefined) stamp(o, now);
    },
    // Mutating admission may have removed the time again.
    create: {
      prepare: (o, context) => stamp(o, context.world.clock.now()),
      validate: (o, errors) => validate(o, errors),
    },
    update: {
      allowUnconditional: isOld,
      prepare: stampChanged,
      validate: (o, old, errors) => validate(o, errors, old),
    },
    deletion: { returnsObject: isOld },
  }),
  subresources: {
    status: withoutTable(
      statusAlone({
        update: {
          allowUnconditional: isOld,
          validate: (o, _old, errors) => {
            const conditions = objectsAt(o, 'status', 'conditions');
            const path = FieldPath.in<shapes.ResourceV1DeviceTaintRule>().child('status', 'conditions');
            conditionList(conditions, path, errors);
            if (conditions.length > CONDITIONS_MAX) errors.tooMany(path, conditions.length, CONDITIONS_MAX);
          },
        },
      }),
    ),
  },
  table: table(
    [
      column('Key', 'Key of the taint.'),
      column('Value', 'Value of the taint.'),
      column('Effect', 'What the taint does.'),
      column('TimeAdded', 'Time since the taint is there.'),
      AGE,
    ],
    (o, now) => [
      textAt(o, 'spec', 'taint', 'key'),
      textAt(o, 'spec', 'taint', 'value'),
      textAt(o, 'spec', 'taint', 'effect'),
      textAt(o, 'spec', 'taint', 'timeAdded') && since(textAt(o, 'spec', 'taint', 'timeAdded'), now),
      age(o, now),
    ],
  ),
};

function validate(
  o: Shaped<shapes.ResourceV1DeviceTaintRule>,
  errors: FieldErrors,
  old?: Shaped<shapes.ResourceV1DeviceTaintRule>,
): void {
  const path = FieldPath.in<shapes.ResourceV1DeviceTaintRule>().child('spec');
  const selector = at(o, 'spec', 'deviceSelector');
  const here = path.child('deviceSelector');
  if (at(selector, 'driver') !== undefined) driverName(textAt(selector, 'driver'), here.child('driver'), errors);
  if (at(selector, 'pool') !== undefined) poolName(textAt(selector, 'pool'), here.child('pool'), errors);
  if (at(selector, 'device') !== undefined)
    sentences(textAt(selector, 'device'), isDns1123Label, here.child('device'), errors);
  taint(objectAt(o, 'spec', 'taint'), path.child('taint'), errors, old && objectAt(old, 'spec', 'taint'));
}

/** Sets timeAdded to now when the effect changes and the client does not set timeAdded; not in versions before v1. */
function stampChanged(
  o: Shaped<shapes.ResourceV1DeviceTaintRule>,
  old: Shaped<shapes.ResourceV1DeviceTaintRule>,
  context: WriteContext,
): void {
  const now = at(o, 'spec', 'taint');
  const was = at(old, 'spec', 'taint');
  if (
    isObject(now) &&
    !isOld(context.version) &&
    textAt(now, 'effect') !== textAt(was, 'effect') &&
    textAt(now, 'timeAdded') === textAt(was, 'timeAdded')
  )
    delete now['timeAdded'];
  stamp(o, context.world.clock.now());
}

function stamp(o: Shaped<shapes.ResourceV1DeviceTaintRule>, now: number): void {
  const given = at(o, 'spec', 'taint');
  if (isObject(given)) stampTaints([given], now);
}
