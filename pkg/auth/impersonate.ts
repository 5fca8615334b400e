import { type ApiError, errors } from '../api/index.js';
import { forbidden, type ResourceAttributes } from './attributes.js';
import type { Authorizer } from './authz/authorizer.js';
import {
  ANONYMOUS,
  type ServiceAccountName,
  serviceAccountGroups,
  serviceAccountOf,
  UNAUTHENTICATED,
  type UserInfo,
  withAuthenticatedGroup,
} from './user.js';

/** Header values as Node gives them: lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a request says: a header that comes in several lines has a value a line. */
export interface HeaderLines {
  readonly headers: Headers;
  lines(name: string): readonly string[];
}

export const IMPERSONATE_USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA = 'impersonate-extra-';

/** Whether a request wants to act as somebody else. Cheap: one look where no such header is. */
export function wantsImpersonation(headers: Headers): boolean {
  if (one(headers[IMPERSONATE_USER]) !== '' || headers[GROUP] !== undefined || one(headers[UID]) !== '') return true;
  for (const name in headers) if (name.startsWith(EXTRA)) return true;
  return false;
}

/**
 * The user that the `Impersonate-*` headers name, once the caller was allowed to act as each part of it (verb `impersonate`
 * on users, groups, serviceaccounts, uids and userextras). Throws 500 when parts come without a user, as the reference does,
 * and 403 for what is not allowed.
 */
export async function impersonate(caller: UserInfo, request: HeaderLines, authorizer: Authorizer): Promise<UserInfo> {
  const name = request.lines(IMPERSONATE_USER)[0] ?? '';
  const uid = request.lines(UID)[0] ?? '';
  const groups = request.lines(GROUP);
  const extra = extras(request);
  if (name === '') throw partsWithoutUser(groups, uid, extra);
  const account = serviceAccountOf(name);
  for (const wanted of requests({ name, account }, groups, uid, extra)) {
    const decision = await authorizer.authorize(caller, wanted);
    if (decision.kind !== 'allow') throw forbidden(caller, wanted, decision.reason);
  }
  const user: UserInfo = {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: groups.length > 0 ? [...new Set(groups)] : account === undefined ? [] : serviceAccountGroups(account),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  if (name === ANONYMOUS.name)
    return user.groups.includes(UNAUTHENTICATED) ? user : { ...user, groups: [...user.groups, UNAUTHENTICATED] };
  return withAuthenticatedGroup(user);
}

function requests(
  { name, account }: { readonly name: string; readonly account: ServiceAccountName | undefined },
  groups: readonly string[],
  uid: string,
  extra: Readonly<Record<string, readonly string[]>>,
): readonly ResourceAttributes[] {
  const core = {
    kind: 'resource',
    verb: 'impersonate',
    group: '',
    version: 'v1',
    subresource: '',
    namespace: '',
  } as const;
  const authentication = { ...core, group: 'authentication.k8s.io' } as const;
  return [
    account === undefined ? { ...core, resource: 'users', name } : { ...core, resource: 'serviceaccounts', ...account },
    ...groups.map((group) => ({ ...core, resource: 'groups', name: group })),
    ...(uid === '' ? [] : [{ ...authentication, resource: 'uids', name: uid }]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({ ...authentication, resource: 'userextras', subresource: key, name: value })),
    ),
  ];
}

function extras(request: HeaderLines): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>;
  for (const name in request.headers) {
    if (!name.startsWith(EXTRA)) continue;
    const key = decodeExtraKey(name.slice(EXTRA.length));
    found[key] = [...(found[key] ?? []), ...request.lines(name)];
  }
  return found;
}

/** The key of an extra in a header's name: percent-encoded; text that does not decode stands for itself. */
export function decodeExtraKey(raw: string): string {
  try {
    return decodeURIComponent(raw.toLowerCase());
  } catch {
    return raw;
  }
}

function partsWithoutUser(
  groups: readonly string[],
  uid: string,
  extra: Readonly<Record<string, readonly string[]>>,
): ApiError {
  const kinds = [
    ...(groups.length > 0 ? [`Groups=[${groups.map((g) => JSON.stringify(g)).join(' ')}]`] : []),
    ...(uid !== '' ? [`UID=${JSON.stringify(uid)}`] : []),
    ...(Object.keys(extra).length > 0 ? [`Extra=${Object.keys(extra).join(' ')}`] : []),
  ];
  return errors.internal(`requested impersonation without a user name: ${kinds.join(', ')}`);
}

const one = (value: string | readonly string[] | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : (value[0] ?? '');
