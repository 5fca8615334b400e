import { type FieldErrors, FieldPath, isObject, isQualifiedName, labelName, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, Strategy } from '../../resource.js';
import { listAt, nameOf, objectIn, textAt } from '../access.js';
import { keep, statusSubresource, versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { fill } from './pod/defaults.js';

const strategy: Strategy<shapes.CoreV1Namespace> = {
  defaults: (o) => {
    labelWithName(o);
    fill(objectIn(o, 'status'), 'phase', 'Active');
  },
  create: {
    validateName: labelName,
    prepare: (o) => {
      // A generated name is newer than the defaults.
      labelWithName(o);
      o['status'] = { phase: 'Active' };
      const spec = isObject(o['spec']) ? o['spec'] : {};
      const finalizers = listAt(spec, 'finalizers');
      if (!finalizers.includes('kubernetes')) spec['finalizers'] = [...finalizers, 'kubernetes'];
      o['spec'] = spec;
    },
    validate,
  },
  update: {
    generation: 'none',
    resetFields: [['status']],
    // only /finalize changes spec.finalizers
    prepare: (o, old) => {
      keep('spec', o, old);
      keep('status', o, old);
    },
  },
  deletion: {
    mark: (o) => {
      o['status'] = { ...(isObject(o['status']) ? o['status'] : {}), phase: 'Terminating' };
    },
    // a namespace is first marked for deletion: its content is deleted before it
    blocked: (o) => textAt(o, 'metadata', 'deletionTimestamp') === '' || listAt(o, 'spec', 'finalizers').length > 0,
    marksOnce: true,
  },
  compatibility: {
    plainPreconditions: 'Precondition failed',
    noUnsafeDeletion: true,
    plainDeletion: true,
    checksUpdateLikeNew: true,
  },
};

export const namespace: ResourceDeclaration<shapes.CoreV1Namespace> = {
  group: '',
  resource: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['ns'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  strategy,
  subresources: {
    status: statusSubresource({ update: { validate: phaseFits } }),
    finalize: {
      verbs: ['update'],
      withoutTable: true,
      behaviour: {
        kind: 'status',
        strategy: {
          create: { validate: (o, errors) => finalizers(o, errors, (i) => FINALIZERS.index(i)) },
          update: { generation: 'none', resetFields: [['status']], prepare: (o, old) => keep('status', o, old) },
        },
      },
    },
  },
  selectableFields: { 'status.phase': (o) => textAt(o, 'status', 'phase') },
  table: table([column('Status', 'Active, or Terminating while its content is removed.'), AGE], (o, now) => [
    textAt(o, 'status', 'phase'),
    age(o, now),
  ]),
};

/** Every namespace has its name as a label, so that selectors can match it. */
function labelWithName(o: Shaped<shapes.CoreV1Namespace>): void {
  const meta = o['metadata'];
  if (!isObject(meta) || nameOf(o) === '') return;
  const labels = isObject(meta['labels']) ? meta['labels'] : {};
  labels['kubernetes.io/metadata.name'] = nameOf(o);
  meta['labels'] = labels;
}

/** `kubernetes` is the server's finalizer. All others belong to clients and have a domain prefix. */
function validate(o: Shaped<shapes.CoreV1Namespace>, errors: FieldErrors): void {
  finalizers(o, errors, () => FINALIZERS);
}

function finalizers(o: Shaped<shapes.CoreV1Namespace>, errors: FieldErrors, at: (i: number) => FieldPath): void {
  errors.each(listAt(o, 'spec', 'finalizers').map(String), (finalizer, i) => {
    const path = at(i);
    const wrong = isQualifiedName(finalizer);
    for (const s of wrong) errors.invalid(path, finalizer, s);
    if (!finalizer.includes('/') && !OWN_FINALIZERS.includes(finalizer))
      errors.invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
  });
}

/** The phase of a namespace depends on whether it is being deleted. */
function phaseFits(o: Shaped<shapes.CoreV1Namespace>, _old: Shaped<shapes.CoreV1Namespace>, errors: FieldErrors): void {
  const phase = textAt(o, 'status', 'phase');
  const deleted = textAt(o, 'metadata', 'deletionTimestamp') !== '';
  if (phase === (deleted ? 'Terminating' : 'Active')) return;
  errors.invalid(
    FieldPath.of('status', 'Phase'),
    phase,
    deleted
      ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
      : "may only be 'Active' if `deletionTimestamp` is empty",
  );
}

const FINALIZERS = FieldPath.in<shapes.CoreV1Namespace>().child('spec', 'finalizers');
const OWN_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];
