import type { JsonObject } from '../../../pkg/api/index.js';
import { type BaseName, bases, changed, valueAt } from '../resourceobjects.js';
import { apply, get, patch, post, put, remove, type Sequence, type Step, sequence, watch } from './sequence.js';

/** The operations of the section Endpoints, of each resource, with the query parameters that they take. */

const nameOf = (of: BaseName): string => String(valueAt(bases[of].object, 'metadata.name'));
const kindOf = (of: BaseName): string => String(bases[of].object['kind']);
const itemOf = (of: BaseName): string => `${bases[of].path}/${nameOf(of)}`;
const LABEL = { metadata: { labels: { a: 'b' } } };
const labelled = { 'metadata.labels.a': 'b' };
const withLabel = (of: BaseName, value: string): JsonObject =>
  changed(bases[of].object, { 'metadata.labels': { a: value } });
const made = (of: BaseName): Step => post(bases[of].path, bases[of].object);

/** What every resource of the section serves. */
const common = (of: BaseName): readonly Sequence[] => {
  const { path, object } = bases[of];
  const item = itemOf(of);
  const kind = kindOf(of);
  const byName = `metadata.name%3D${nameOf(of)}`;
  // The default of a ReplicationController is to orphan its pods first.
  const policy = of === 'replicationcontroller' ? 'propagationPolicy=Background' : '';
  const state = (...steps: readonly [text: string, ...Step[]]): Sequence =>
    sequence(`Operations of ${kind}`, steps[0], ...(steps.slice(1) as Step[]));
  return [
    state(
      'create, read, replace, patch',
      made(of),
      get(item, { shows: { kind } }),
      put(item, { 'metadata.labels': { a: 'b' } }, { shows: labelled }),
      patch(item, { metadata: { labels: { a: 'c' } } }, { shows: { 'metadata.labels.a': 'c' } }),
    ),
    state(
      'list and watch',
      made(of),
      get(`${path}?fieldSelector=${byName}`, { shows: { kind: `${kind}List`, 'items.0.metadata.name': nameOf(of) } }),
      watch(`${path}?watch=true&fieldSelector=${byName}`, { type: 'ADDED', 'object.metadata.name': nameOf(of) }),
      watch(`${item.replace('/v1/', '/v1/watch/')}`, { type: 'ADDED', 'object.kind': kind }),
    ),
    state('a deleted object is gone', made(of), remove(`${item}?${policy}`), get(item, { code: 404 })),
    state(
      'a collection is deleted by selector',
      post(path, withLabel(of, 'b')),
      remove(`${path}?labelSelector=a%3Dc`),
      get(item),
      remove(`${path}?labelSelector=a%3Db&limit=5&${policy}`),
      get(item, { code: 404 }),
    ),
    state(
      'a collection is deleted by field',
      made(of),
      remove(`${path}?fieldSelector=metadata.name%3Dz`),
      get(item),
      remove(`${path}?fieldSelector=${byName}&${policy}`),
      get(item, { code: 404 }),
    ),
    state('a patch needs an object that exists', patch(item, LABEL, { code: 404 })),
    state(
      'a JSON patch',
      made(of),
      patch(item, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }], { shows: labelled }, 'json'),
    ),
    state('a strategic merge patch', made(of), patch(item, LABEL, { shows: labelled }, 'strategic-merge')),
    state(
      'an apply creates',
      apply(`${item}?fieldManager=m`, object, {
        code: 201,
        shows: { 'metadata.managedFields.0.manager': 'm', 'metadata.managedFields.0.operation': 'Apply' },
      }),
      apply(`${item}?fieldManager=m`, object),
    ),
    state('an apply needs a manager', apply(item, object, { code: 422, field: 'fieldManager' })),
    state(
      'a forced apply takes fields over',
      post(`${path}?fieldManager=other`, withLabel(of, 'b')),
      apply(`${item}?fieldManager=m`, withLabel(of, 'c'), { code: 409 }),
      apply(`${item}?fieldManager=m&force=true`, withLabel(of, 'c'), { shows: { 'metadata.labels.a': 'c' } }),
    ),
    state('only an apply is forced', made(of), patch(`${item}?force=true`, LABEL, { code: 422, field: 'force' })),
    state(
      'the manager of a create is kept',
      post(`${path}?fieldManager=m`, object, {
        shows: { 'metadata.managedFields.0.manager': 'm', 'metadata.managedFields.0.operation': 'Update' },
      }),
    ),
    state(
      'a manager has at most 128 characters',
      post(`${path}?fieldManager=${'m'.repeat(129)}`, object, { code: 422, field: 'fieldManager' }),
    ),
    state(
      'pretty responses have lines',
      post(`${path}?pretty=true`, object, { begins: '{\n' }),
      get(`${item}?pretty=true`, { begins: '{\n' }),
      get(`${item}?pretty=false`, { begins: '{"' }),
      get(`${path}?pretty=true`, { begins: '{\n' }),
      remove(`${item}?pretty=true`, { begins: '{\n' }),
    ),
    state(
      'a dry run changes nothing',
      post(`${path}?dryRun=All`, object),
      get(item, { code: 404 }),
      made(of),
      patch(`${item}?dryRun=All`, LABEL, { shows: labelled }),
      put(`${item}?dryRun=All`, { 'metadata.labels': { a: 'b' } }, { shows: labelled }),
      remove(`${item}?dryRun=All`),
      remove(`${path}?dryRun=All`),
      get(item, { shows: { 'metadata.labels.a': undefined } }),
    ),
    state('a dry run is All', post(`${path}?dryRun=Some`, object, { code: 422, field: 'dryRun' })),
    state(
      'unknown fields are refused, told or ignored',
      post(
        `${path}?fieldValidation=Strict&dryRun=All`,
        { ...object, odd: 1 },
        { code: 400, message: 'unknown field "odd"' },
      ),
      post(
        `${path}?fieldValidation=Warn&dryRun=All`,
        { ...object, odd: 1 },
        { warning: 'unknown field \\"odd\\"', shows: { odd: undefined } },
      ),
      post(
        `${path}?fieldValidation=Ignore&dryRun=All`,
        { ...object, odd: 1 },
        { warning: '', shows: { odd: undefined } },
      ),
      post(`${path}?dryRun=All`, { ...object, odd: 1 }, { warning: 'unknown field \\"odd\\"' }),
    ),
    state(
      'a deletion has a policy',
      made(of),
      remove(`${item}?propagationPolicy=Odd`, { code: 422, field: 'propagationPolicy' }),
      remove(`${item}?propagationPolicy=Background&orphanDependents=true`, { code: 422, field: 'propagationPolicy' }),
      remove(`${item}?propagationPolicy=Orphan`, { shows: { 'metadata.finalizers': ['orphan'] } }),
    ),
    state(
      'orphanDependents is the older form of a policy',
      made(of),
      remove(`${item}?orphanDependents=true`, { shows: { 'metadata.finalizers': ['orphan'] } }),
    ),
    state(
      'a grace period of 0 deletes at once',
      made(of),
      remove(`${item}?gracePeriodSeconds=0&${policy}`),
      get(item, { code: 404 }),
    ),
    state(
      'the name of a path is the name of the body',
      made(of),
      put(item, { 'metadata.name': 'other' }, { code: 400 }),
    ),
  ];
};

const RESOURCES = [
  'ipaddress',
  'ingress',
  'ingressclass',
  'runtimeclass',
  'rolebinding',
  'replicationcontroller',
  'migration',
  'policybinding',
  'deviceclass',
  'taintrule',
  'endpointslice',
] as const;

const status = (of: BaseName, value: JsonObject): Sequence =>
  sequence(
    `Operations of ${kindOf(of)}`,
    'the status is read, replaced and patched',
    made(of),
    get(`${itemOf(of)}/status`, { shows: { kind: kindOf(of) } }),
    put(`${itemOf(of)}/status`, { status: value }, { shows: { status: value } }),
    patch(`${itemOf(of)}/status`, { status: value }),
    patch(`${itemOf(of)}/status`, LABEL),
  );

const RC = itemOf('replicationcontroller');
export const operations: readonly Sequence[] = [
  ...RESOURCES.flatMap(common),
  status('ingress', { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }),
  status('replicationcontroller', { replicas: 1 }),
  sequence(
    'Operations of ReplicationController',
    'the scale is read and replaced',
    made('replicationcontroller'),
    get(`${RC}/scale`, {
      shows: { kind: 'Scale', apiVersion: 'autoscaling/v1', 'spec.replicas': 1, 'status.selector': 'app=web' },
    }),
    put(`${RC}/scale`, { 'spec.replicas': 3 }, { shows: { kind: 'Scale', 'spec.replicas': 3 } }),
    get(RC, { shows: { 'spec.replicas': 3 } }),
  ),
  sequence(
    'Operations of EndpointSlice',
    'a watch of all namespaces',
    post(bases.endpointslice.path, withLabel('endpointslice', 'b')),
    watch('/apis/discovery.k8s.io/v1/watch/endpointslices?labelSelector=a%3Db', {
      type: 'ADDED',
      'object.kind': 'EndpointSlice',
      'object.metadata.name': 'rule',
    }),
  ),
  sequence('Operations of RoleBinding', 'a replacement of none creates', {
    method: 'PUT',
    path: itemOf('rolebinding'),
    body: bases.rolebinding.object,
    code: 201,
  }),
];
