import {
  type FieldErrors,
  FieldPath,
  isObject,
  isQualifiedName,
  type JsonObject,
  labelName,
} from '../../../api/index.js';
import type { ResourceDeclaration, Strategy } from '../../resource.js';
import { listAt, nameOf, textAt } from '../access.js';
import { keep, statusSubresource, versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';

const strategy: Strategy = {
  validateName: labelName,
  generation: 'none',
  resetFields: [['status']],
  defaults: labelWithName,
  prepareForCreate: (o) => {
    o['status'] = { phase: 'Active' };
    const spec = isObject(o['spec']) ? o['spec'] : {};
    const finalizers = listAt(spec, 'finalizers');
    if (!finalizers.includes('kubernetes')) spec['finalizers'] = [...finalizers, 'kubernetes'];
    o['spec'] = spec;
  },
  // one that is not marked yet never goes at once: its content has to go first
  holds: (o) => textAt(o, 'metadata', 'deletionTimestamp') === '' || listAt(o, 'spec', 'finalizers').length > 0,
  markDeleted: (o) => {
    const meta = o['metadata'];
    if (isObject(meta)) delete meta['deletionGracePeriodSeconds'];
    o['status'] = { ...(isObject(o['status']) ? o['status'] : {}), phase: 'Terminating' };
  },
  validate,
  // spec.finalizers changes through /finalize alone
  prepareForUpdate: (o, old) => {
    keep('spec', o, old);
    keep('status', o, old);
  },
};

export const namespace: ResourceDeclaration = {
  group: '',
  resource: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  versions: versions('core', 'v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['ns'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  strategy,
  subresources: {
    status: statusSubresource(),
    finalize: {
      verbs: ['update'],
      behaviour: {
        kind: 'part',
        strategy: { generation: 'none', validate, prepareForUpdate: (o, old) => keep('status', o, old) },
      },
    },
  },
  selectableFields: { 'status.phase': (o) => textAt(o, 'status', 'phase') },
  table: table([column('Status', 'Active, or Terminating while its content is removed.'), AGE], (o, now) => [
    textAt(o, 'status', 'phase'),
    age(o, now),
  ]),
};

/** Every namespace carries its name as a label, so that selectors can name namespaces. */
function labelWithName(o: JsonObject): void {
  const meta = o['metadata'];
  if (!isObject(meta) || nameOf(o) === '') return;
  const labels = isObject(meta['labels']) ? meta['labels'] : {};
  labels['kubernetes.io/metadata.name'] = nameOf(o);
  meta['labels'] = labels;
}

/** `kubernetes` is the server's own; all others are a client's, named with its domain. */
function validate(o: JsonObject, errors: FieldErrors): void {
  const path = FieldPath.of('spec').child('finalizers');
  for (const finalizer of listAt(o, 'spec', 'finalizers').map(String)) {
    const wrong = isQualifiedName(finalizer);
    for (const s of wrong) errors.invalid(path, finalizer, s);
    if (!finalizer.includes('/') && !OWN_FINALIZERS.includes(finalizer))
      errors.invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
  }
}

const OWN_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];
