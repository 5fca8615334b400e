import {
  errors,
  FieldErrors,
  FieldPath,
  type JsonObject,
  type JsonValue,
  type RequestAttributes,
  type UserInfo,
} from '../../../api/index.js';
import { inFieldOrder, structByName } from '../../../schema/index.js';
import type { ResourceDeclaration, VirtualRequest } from '../../resource.js';
import { at, listAt, objectAt, objectIn, textAt } from '../access.js';
import type { ClusterConfig } from '../cluster.js';
import { versions } from '../form.js';
import { ignoredSelectors, reviewedSelectors, selectorAttributes } from './selectorattributes.js';

/** Access reviews check whether the caller or another user may do something. They are not stored. */

const GROUP = 'authorization.k8s.io';
const SPEC = FieldPath.of('spec');

interface Review {
  readonly kind: string;
  readonly namespaced: boolean;
  /** The user under review. */
  readonly user: (request: VirtualRequest) => UserInfo;
  readonly rules: (body: JsonObject, errors: FieldErrors) => void;
  /** The rules whose errors follow that of the metadata. */
  readonly rulesAfter?: (body: JsonObject, errors: FieldErrors) => void;
}

const named = (spec: JsonObject): UserInfo => {
  const extra: Record<string, readonly string[]> = {};
  for (const [k, v] of Object.entries(objectAt(spec, 'extra'))) extra[k] = Array.isArray(v) ? v.map(String) : [];
  return { name: textAt(spec, 'user'), uid: textAt(spec, 'uid'), groups: listAt(spec, 'groups').map(String), extra };
};

const REVIEWS: readonly Review[] = [
  {
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
    user: ({ context }) => context.user,
    rules: (body, found) => attributes(body, found),
  },
  {
    kind: 'SubjectAccessReview',
    namespaced: false,
    user: ({ body }) => named(objectAt(body, 'spec')),
    rules: (body, found) => {
      attributes(body, found);
      someUser(body, found);
    },
  },
  {
    kind: 'LocalSubjectAccessReview',
    namespaced: true,
    user: ({ body }) => named(objectAt(body, 'spec')),
    rules: (body, found) => {
      attributes(body, found);
      someUser(body, found);
    },
    rulesAfter: (body, found) => {
      const namespace = textAt(body, 'spec', 'resourceAttributes', 'namespace');
      if (at(body, 'spec', 'resourceAttributes') !== undefined && namespace !== textAt(body, 'metadata', 'namespace'))
        found.invalid(SPEC.child('resourceAttributes', 'namespace'), namespace, 'must match metadata.namespace');
      const path = at(body, 'spec', 'nonResourceAttributes');
      if (path !== undefined)
        found.invalid(SPEC.child('nonResourceAttributes'), printedPath(path), 'disallowed on this kind of request');
    },
  },
];

export function accessReviews({ authorize }: ClusterConfig): readonly ResourceDeclaration[] {
  return REVIEWS.map((review) => ({
    group: GROUP,
    resource: `${review.kind.toLowerCase()}s`,
    singular: review.kind.toLowerCase(),
    kind: review.kind,
    versions: versions('v1'),
    storageVersion: 'v1',
    namespaced: review.namespaced,
    verbs: ['create'],
    strategy: {},
    virtual: async (request) => {
      const body = request.body ?? {};
      if (review.namespaced && textAt(body, 'metadata', 'namespace') === '')
        throw errors.badRequest('namespace is required on this type: ');
      check(body, review);
      const decision = await authorize(review.user(request), asked(body));
      const problems = [...ignoredSelectors(at(body, 'spec', 'resourceAttributes'))];
      if (decision.error !== undefined) problems.push(decision.error);
      body['status'] = {
        allowed: decision.kind === 'allow',
        ...(decision.kind === 'deny' ? { denied: true } : {}),
        ...(decision.reason === '' ? {} : { reason: decision.reason }),
        ...(problems.length === 0 ? {} : { evaluationError: problems.join('; ') }),
      };
      return body;
    },
  }));
}

function check(body: JsonObject, review: Review): void {
  const found = new FieldErrors();
  review.rules(body, found);
  // these objects have no names and no labels, so metadata in the body is an error
  const meta = { ...objectIn(body, 'metadata') };
  for (const field of ['managedFields', 'namespace'] as const) delete meta[field];
  if (Object.keys(meta).length > 0)
    found.invalid(
      FieldPath.of('metadata'),
      inFieldOrder(objectIn(body, 'metadata'), structByName('meta/v1.ObjectMeta')),
      review.namespaced ? 'must be empty except for namespace' : 'must be empty',
    );
  review.rulesAfter?.(body, found);
  if (!found.empty) throw errors.invalid({ group: GROUP, kind: '' }, '', found.list);
}

const EXACTLY_ONE = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';

function attributes(body: JsonObject, found: FieldErrors): void {
  const resource = at(body, 'spec', 'resourceAttributes');
  const path = at(body, 'spec', 'nonResourceAttributes');
  if (resource !== undefined && path !== undefined) found.invalid(SPEC, printedPath(path), EXACTLY_ONE);
  else if (resource === undefined && path === undefined) found.invalid(SPEC, null, EXACTLY_ONE);
  if (resource !== undefined) selectorAttributes(resource, SPEC.child('resourceAttributes'), found);
}

const printedPath = (v: JsonValue): JsonObject => ({ Path: textAt(v, 'path'), Verb: textAt(v, 'verb') });

function someUser(body: JsonObject, found: FieldErrors): void {
  if (textAt(body, 'spec', 'user') === '' && listAt(body, 'spec', 'groups').length === 0)
    found.invalid(SPEC.child('user'), '', 'at least one of user or group must be specified');
}

function asked(body: JsonObject): RequestAttributes {
  const path = at(body, 'spec', 'nonResourceAttributes');
  if (path !== undefined) return { kind: 'path', verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  const r = objectAt(body, 'spec', 'resourceAttributes');
  return {
    kind: 'resource',
    verb: textAt(r, 'verb'),
    group: textAt(r, 'group'),
    version: textAt(r, 'version'),
    resource: textAt(r, 'resource'),
    subresource: textAt(r, 'subresource'),
    namespace: textAt(r, 'namespace'),
    name: textAt(r, 'name'),
    ...reviewedSelectors(r),
  };
}
