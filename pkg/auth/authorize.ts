import { type ApiError, errors } from '../api/index.js';
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED, type UserInfo } from './user.js';

/** What is asked for. Either a resource or a path. */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' for cluster-scoped resources and all namespaces. */
  readonly namespace: string;
  /** '' for collections. */
  readonly name: string;
}

export interface PathAttributes {
  readonly kind: 'path';
  /** Lower-case method. */
  readonly verb: string;
  readonly path: string;
}

export type Decision =
  | { readonly kind: 'allow'; readonly reason: string }
  | { readonly kind: 'deny'; readonly reason: string }
  /** Nothing to say: the next authorizer decides; nobody left means no. */
  | { readonly kind: 'noOpinion'; readonly reason: string };

/** Synchronous where it can be: the answer of most authorizers is in memory. */
export interface Authorizer {
  authorize(user: UserInfo, attributes: Attributes): Decision | Promise<Decision>;
}

/** `system:masters` may do everything. */
export const mastersAuthorizer: Authorizer = {
  authorize: (user) =>
    user.groups.includes(MASTERS) ? { kind: 'allow', reason: '' } : { kind: 'noOpinion', reason: '' },
};

/** Paths that anyone may read (`system:public-info-viewer`), and those for everyone who was recognised (`system:discovery`). */
const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY_PATHS = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', ...PUBLIC_PATHS];
const SELF_REVIEWS: Readonly<Record<string, string>> = {
  selfsubjectaccessreviews: 'authorization.k8s.io',
  selfsubjectrulesreviews: 'authorization.k8s.io',
  selfsubjectreviews: 'authentication.k8s.io',
};

/** What every cluster grants from its first start: discovery, health and reviews of oneself. Nothing else. */
export const bootstrapAuthorizer: Authorizer = {
  authorize(user, attributes) {
    const recognised = user.groups.includes(AUTHENTICATED);
    const known = recognised || user.groups.includes(UNAUTHENTICATED);
    if (attributes.kind === 'path') {
      const paths = recognised ? DISCOVERY_PATHS : known ? PUBLIC_PATHS : [];
      return attributes.verb === 'get' && paths.some((p) => matchesPath(p, attributes.path)) ? YES : NO_OPINION;
    }
    return recognised &&
      attributes.verb === 'create' &&
      attributes.subresource === '' &&
      Object.hasOwn(SELF_REVIEWS, attributes.resource) &&
      SELF_REVIEWS[attributes.resource] === attributes.group
      ? YES
      : NO_OPINION;
  },
};

const YES: Decision = { kind: 'allow', reason: '' };
const NO_OPINION: Decision = { kind: 'noOpinion', reason: '' };

/** The first that has an opinion decides. */
export function unionAuthorizer(...authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize(user, attributes) {
      for (const [i, authorizer] of authorizers.entries()) {
        const decision = authorizer.authorize(user, attributes);
        if (decision instanceof Promise)
          return decision.then((d) =>
            d.kind !== 'noOpinion' ? d : unionAuthorizer(...authorizers.slice(i + 1)).authorize(user, attributes),
          );
        if (decision.kind !== 'noOpinion') return decision;
      }
      return NO_OPINION;
    },
  };
}

/** A path pattern ends in `*` or is exact. */
export function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}

/** The 403 of the reference: who may not do what where. */
export function forbidden(user: UserInfo, attributes: Attributes, reason: string): ApiError {
  const why = sentence(user, attributes) + (reason === '' ? '' : `: ${reason}`);
  return attributes.kind === 'path'
    ? errors.forbidden({ group: '', resource: '' }, '', why)
    : errors.forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, why);
}

function sentence(user: UserInfo, a: Attributes): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${a.verb}`;
  if (a.kind === 'path') return `${who} path ${JSON.stringify(a.path)}`;
  const resource = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`;
  const what = `${who} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(a.group)}`;
  return a.namespace === ''
    ? `${what} at the cluster scope`
    : `${what} in the namespace ${JSON.stringify(a.namespace)}`;
}
