import { type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { immutableData, validateKeys } from './datamap.js';

export const configMap: ResourceDeclaration<shapes.CoreV1ConfigMap> = {
  group: '',
  resource: 'configmaps',
  singular: 'configmap',
  kind: 'ConfigMap',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['cm'],
  strategy: {
    create: { validate },
    update: {
      generation: 'none',
      validateChange: (o, old, errors) => immutableData(o, old, ['data', 'binaryData'], errors),
      validate: (o, _old, errors) => validate(o, errors),
    },
    compatibility: { checksUpdateLikeNew: true },
  },
  table: table([column('Data', 'Number of keys, text and binary.'), AGE], (o, now) => [
    Object.keys(objectAt(o, 'data')).length + Object.keys(objectAt(o, 'binaryData')).length,
    age(o, now),
  ]),
};

/** The limit on the total size of all values, in bytes. */
const DATA_BYTES_MAX = 1024 * 1024;

function validate(o: Shaped<shapes.CoreV1ConfigMap>, errors: FieldErrors): void {
  const data = objectAt(o, 'data');
  const binary = objectAt(o, 'binaryData');
  for (const key of validateKeys(data, FieldPath.in<shapes.CoreV1ConfigMap>().child('data'), errors)) {
    if (Object.hasOwn(binary, key))
      errors.invalid(
        FieldPath.in<shapes.CoreV1ConfigMap>().child('data').key(key),
        key,
        'duplicate of key present in binaryData',
      );
  }
  validateKeys(binary, FieldPath.in<shapes.CoreV1ConfigMap>().child('binaryData'), errors);
  let total = 0;
  for (const v of Object.values(data)) total += Buffer.byteLength(String(v));
  for (const v of Object.values(binary)) total += Buffer.byteLength(String(v), 'base64');
  if (total > DATA_BYTES_MAX) errors.tooLong(FieldPath.root.key(''), DATA_BYTES_MAX);
}
