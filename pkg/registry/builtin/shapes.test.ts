import { describe, expect, it } from 'vitest';
import { FieldErrors, FieldPath } from '../../api/index.js';
import type { shapes } from '../../schema/index.js';
import type { ResourceDeclaration } from '../resource.js';
import { at, numberAt, textAt } from './access.js';
import { whenAbsent } from './defaults.js';
import { versions, withStatus } from './form.js';
import { column, table } from './table.js';

/**
 * A declaration like those in this folder, with a misspelt field in each of its rules. `tsc` fails if one of them
 * compiles.
 */
const misspelt: ResourceDeclaration<shapes.CoreV1PersistentVolumeClaim> = {
  group: '',
  resource: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
  kind: 'PersistentVolumeClaim',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: withStatus({
    defaults: (o) => {
      // @ts-expect-error: status
      whenAbsent(o, 'stats', {});
    },
    create: {
      validate: (o, errors) => {
        // @ts-expect-error: volumeMode
        const mode = at(o, 'spec', 'volumeMod') ?? null;
        // @ts-expect-error: volumeMode
        errors.invalid(FieldPath.in<shapes.CoreV1PersistentVolumeClaim>().child('spec', 'volumemode'), mode, 'no');
      },
    },
  }),
  selectableFields: {
    // @ts-expect-error: volumeName
    volume: (o) => textAt(o, 'spec', 'volume'),
  },
  table: table(
    [column('Count', 'A count.')],
    // @ts-expect-error: observedGeneration is no field of this status
    (o) => [numberAt(o, 'status', 'observedGeneration')],
  ),
};

describe('a declaration with its shape', () => {
  it('does not compile with misspelt fields; its rules run on plain objects', () => {
    const errors = new FieldErrors();
    misspelt.strategy.create?.validate?.({ spec: {} }, errors, undefined as never);
    expect(errors.list.map((e) => e.field)).toEqual(['spec.volumemode']);
  });
});
