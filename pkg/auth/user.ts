import { isDns1123Label, isDns1123Subdomain, type UserInfo } from '../api/index.js';

export type { UserInfo } from '../api/index.js';

export const MASTERS = 'system:masters';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** Users of certificates and static tokens live longer than a request: each has one value with the group. */
const authenticated = new WeakMap<UserInfo, UserInfo>();

/** Adds the group `system:authenticated` to a user that is not anonymous. Returns the same value for the same user. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)) return user;
  let found = authenticated.get(user);
  if (found === undefined) {
    found = { ...user, groups: [...user.groups, AUTHENTICATED] };
    authenticated.set(user, found);
  }
  return found;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the service account of a user name, or undefined. */
export function serviceAccountOf(userName: string): ServiceAccountName | undefined {
  const [, namespace = '', name = ''] = SERVICE_ACCOUNT.exec(userName) ?? [];
  return isDns1123Label(namespace).length === 0 && isDns1123Subdomain(name).length === 0
    ? { namespace, name }
    : undefined;
}

export function serviceAccountGroups({ namespace }: ServiceAccountName): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
