import type { Flag } from './flag.js';

export const AUTHORIZATION_MODES = ['Node', 'RBAC', 'Webhook', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

function authorizationModes(text: string): string | undefined {
  const modes = text.split(',');
  const unknown = modes.find((mode) => !(AUTHORIZATION_MODES as readonly string[]).includes(mode));
  if (unknown !== undefined)
    return `must be one or several of ${AUTHORIZATION_MODES.join(', ')}, not ${JSON.stringify(unknown)}`;
  return new Set(modes).size < modes.length ? 'names a mode twice' : undefined;
}

/** Flags of authentication and authorization, as kube-apiserver names them. */
export const ACCESS_FLAGS = [
  {
    name: 'anonymous-auth',
    kind: 'boolean',
    default: 'true',
    group: 'Access',
    value: 'BOOL',
    help: 'Requests without credentials are allowed as user system:anonymous.',
  },
  {
    name: 'authorization-mode',
    kind: 'list',
    default: 'Node,RBAC',
    group: 'Access',
    check: authorizationModes,
    value: 'MODE,...',
    help: 'Authorizers in the order in which they are asked: Node, RBAC, Webhook, ABAC, AlwaysAllow, AlwaysDeny.',
  },
  {
    name: 'token-auth-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'CSV file of static bearer tokens: token,user,uid,"group1,group2".',
  },
  {
    name: 'requestheader-client-ca-file',
    kind: 'string',
    default: '',
    group: 'Access',
    value: 'FILE',
    help: 'Authority of front proxies. Their certificates are verified before headers are trusted.',
  },
  {
    name: 'requestheader-allowed-names',
    kind: 'list',
    default: '',
    group: 'Access',
    value: 'NAME,...',
    help: 'Common names of certificates that front proxies may show; empty: any that the authority signed.',
  },
  {
    name: 'requestheader-username-headers',
    kind: 'list',
    default: 'X-Remote-User',
    group: 'Access',
    value: 'HEADER,...',
    help: 'Headers with the user name, in order.',
  },
  {
    name: 'requestheader-uid-headers',
    kind: 'list',
    default: '',
    group: 'Access',
    value: 'HEADER,...',
    help: 'Headers with the UID of the user. X-Remote-Uid is suggested.',
  },
  {
    name: 'requestheader-group-headers',
    kind: 'list',
    default: 'X-Remote-Group',
    group: 'Access',
    value: 'HEADER,...',
    help: 'Headers with the groups of the user.',
  },
  {
    name: 'requestheader-extra-headers-prefix',
    kind: 'list',
    default: 'X-Remote-Extra-',
    group: 'Access',
    value: 'PREFIX,...',
    help: 'Prefixes of headers with further attributes of the user.',
  },
] as const satisfies readonly Flag[];
