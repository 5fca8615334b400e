import { timingSafeEqual } from 'node:crypto';
import { type JsonObject, parseTime, textAt } from '../../api/index.js';
import type { Clock } from '../../base/index.js';
import type { AuthObjects } from '../objects.js';
import { type Authentication, NONE, type TokenAuthenticator } from './authenticator.js';

const SECRETS = { group: '', resource: 'secrets' } as const;
const NAMESPACE = 'kube-system';
const NAME_PREFIX = 'bootstrap-token-';
const TYPE = 'bootstrap.kubernetes.io/token';
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const DEFAULT_GROUP = 'system:bootstrappers';
const GROUP = /^system:bootstrappers:[a-z0-9:-]+$/;
/** The prefix with its colon, and 256 characters. */
const GROUP_LENGTH_MAX = DEFAULT_GROUP.length + 1 + 256;

/**
 * Bootstrap tokens, by which new nodes join a cluster: `id.secret`, of the Secret `bootstrap-token-ID` in kube-system.
 * The Secret is read at every use, from current objects. The rules are those of kube-apiserver: a token that does not
 * fulfil them is unknown to this authenticator, so that the next one may recognise it.
 */
export function bootstrapTokenAuthenticator(objects: AuthObjects, clock: Clock): TokenAuthenticator {
  const judge = (id: string, secret: string): Authentication => {
    const stored = objects.get(SECRETS, NAMESPACE, NAME_PREFIX + id);
    if (stored === undefined || !isValid(stored, { id, secret, now: clock.now() })) return NONE;
    const groups = groupsOf(bytesOf(stored, 'auth-extra-groups').toString());
    return groups === undefined ? NONE : { kind: 'authenticated', user: { name: `system:bootstrap:${id}`, groups } };
  };
  return {
    authenticateToken(token) {
      const [, id, secret] = TOKEN.exec(token) ?? [];
      if (id === undefined || secret === undefined) return NONE;
      const wait = objects.current();
      return wait === undefined ? judge(id, secret) : wait.then(() => judge(id, secret));
    },
  };
}

interface Claimed {
  readonly id: string;
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

function isValid(stored: JsonObject, { id, secret, now }: Claimed): boolean {
  if (textAt(stored, 'metadata', 'deletionTimestamp') !== '' || textAt(stored, 'type') !== TYPE) return false;
  const [expected, actual] = [bytesOf(stored, 'token-secret'), Buffer.from(secret)];
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return false;
  if (bytesOf(stored, 'token-id').toString() !== id || isOver(bytesOf(stored, 'expiration').toString(), now))
    return false;
  return bytesOf(stored, 'usage-bootstrap-authentication').toString() === 'true';
}

/** Reports whether a token has ended. One without an expiration never does; one that cannot be read is in the past. */
function isOver(expiration: string, now: number): boolean {
  if (expiration === '') return false;
  const end = parseTime(expiration);
  return end === undefined || end <= now;
}

/** The groups of a token, sorted; undefined if the name of one is not allowed: it must not be any group of the cluster. */
function groupsOf(extra: string): readonly string[] | undefined {
  if (extra === '') return [DEFAULT_GROUP];
  const named = extra.split(',');
  return named.every(isGroup) ? [...new Set([DEFAULT_GROUP, ...named])].sort() : undefined;
}

const isGroup = (group: string): boolean =>
  group.length <= GROUP_LENGTH_MAX && GROUP.test(group) && !group.endsWith(':') && !group.endsWith('-');

const bytesOf = (secret: JsonObject, field: string): Buffer => Buffer.from(textAt(secret, 'data', field), 'base64');
