/** Who asks. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const MASTERS = 'system:masters';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** The user with the group that everyone has who was recognised; anonymous users keep theirs. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)
    ? user
    : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Groups of a service account by its user name, or undefined when the name is no service account's. */
export function serviceAccountGroups(userName: string): readonly string[] | undefined {
  const m = SERVICE_ACCOUNT.exec(userName);
  return m === null ? undefined : ['system:serviceaccounts', `system:serviceaccounts:${m[1]}`];
}
