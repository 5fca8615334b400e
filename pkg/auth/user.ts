import { isDns1123Label, isDns1123Subdomain, type UserInfo } from '../api/index.js';

export type { UserInfo } from '../api/index.js';

export const MASTERS = 'system:masters';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** Adds the group `system:authenticated` to a user that is not anonymous. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)
    ? user
    : { ...user, groups: [...user.groups, AUTHENTICATED] };
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
