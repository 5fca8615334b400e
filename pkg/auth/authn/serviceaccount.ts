import * as crypto from 'node:crypto';
import { createHash, timingSafeEqual } from 'node:crypto';
import { compactVerify } from 'jose';
import { isObject, type JsonObject, type JsonValue, textAt } from '../../api/index.js';
import type { Clock } from '../../base/index.js';
import type { AuthObjects } from '../objects.js';
import { listText } from '../rbac/covers.js';
import { type ObjectClaim, readClaims, type ServiceAccountClaims } from '../tokens/claims.js';
import { LEGACY_ISSUER } from '../tokens/issuer.js';
import type { TokenKey } from '../tokens/keys.js';
import { serviceAccountGroups, type UserInfo, withAuthenticatedGroup } from '../user.js';
import { type Authentication, NONE, type TokenAuthenticator } from './authenticator.js';

export interface ServiceAccountTokenConfig {
  /** Accepted issuers. */
  readonly issuers: readonly string[];
  /** Audiences of the API server: the default for tokens without audiences and for reviews. */
  readonly audiences: readonly string[];
  readonly keys: readonly TokenKey[];
}

/**
 * The cached result for a token with a valid signature. `claims` is undefined if they do not have the form of an
 * account's claims.
 */
interface Verified {
  readonly payload: JsonObject;
  readonly claims: ServiceAccountClaims | undefined;
  readonly user: UserInfo | undefined;
  /** The answer for the audiences of the API server, while the account and the bound object are there. */
  accepted: Authentication | undefined;
  /** Used since the cache last searched for a token to forget. */
  used: boolean;
}

/** The maximum number of tokens whose verified signature is cached. */
const VERIFIED_MAX = 4096;
/** Tokens that may stay before one is forgotten in any case. */
const VERIFIED_TRIES = 64;
/** Clocks of peers may differ by this, in seconds. */
const LEEWAY_SECONDS = 60;

/** The text of kube-apiserver's library for every token that no key has signed. */
const SIGNATURE_INVALID = 'go-jose/go-jose: error in cryptographic primitive';

/**
 * Service-account tokens: JWTs with one of the configured issuers and keys. The signature of a token is verified once
 * and cached; its time, its audiences, its account and the object that it is bound to are checked at every use, against
 * current objects.
 */
export class ServiceAccountAuthenticator implements TokenAuthenticator {
  #config: ServiceAccountTokenConfig;
  readonly #objects: AuthObjects;
  readonly #clock: Clock;
  /** By the SHA-256 of the token: the time of a lookup reveals nothing about the tokens. */
  readonly #verified = new Map<string, Verified>();

  constructor(config: ServiceAccountTokenConfig, objects: AuthObjects, clock: Clock) {
    this.#config = config;
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Verifies with these keys from now on. Tokens signed with other keys are no longer valid. */
  use(keys: readonly TokenKey[]): void {
    this.#config = { ...this.#config, keys };
    this.#verified.clear();
  }

  authenticateToken(token: string, audiences?: readonly string[]): Authentication | Promise<Authentication> {
    const digest = sha256(token);
    const known = this.#verified.get(digest);
    if (known === undefined) return this.#authenticateNew(token, digest, audiences);
    known.used = true;
    const wait = this.#objects.current();
    return wait === undefined
      ? this.#judge(known, token, audiences)
      : wait.then(() => this.#judge(known, token, audiences));
  }

  async #authenticateNew(token: string, digest: string, audiences?: readonly string[]): Promise<Authentication> {
    const parts = unverifiedParts(token);
    if (parts === undefined || !this.#hasIssuer(parts.payload)) return NONE;
    const { keys } = this.#config;
    const payload = await this.#verify(token, parts.header);
    if (typeof payload === 'string') return { kind: 'failed', reason: payload };
    const claims = readClaims(payload);
    const user = claims === undefined ? undefined : userOf(claims);
    const verified: Verified = { payload, claims, user, accepted: undefined, used: true };
    // The keys may have changed during the verification: its result then counts for this request only.
    if (keys === this.#config.keys) this.#remember(digest, verified);
    await this.#objects.current();
    return this.#judge(verified, token, audiences);
  }

  /** Forgets a token that was not used for long: one that is used again goes to the end instead (second chance). */
  #remember(digest: string, verified: Verified): void {
    this.#verified.set(digest, verified);
    for (let tries = VERIFIED_TRIES; this.#verified.size > VERIFIED_MAX; tries--) {
      const [oldest, one] = this.#verified.entries().next().value!;
      this.#verified.delete(oldest);
      if (!one.used || tries <= 0) continue;
      one.used = false;
      this.#verified.set(oldest, one);
    }
  }

  #hasIssuer(payload: JsonObject): boolean {
    const issuer = textAt(payload, 'iss');
    return issuer === LEGACY_ISSUER || this.#config.issuers.includes(issuer);
  }

  /** Returns the payload, or why the signature is invalid. Each key is tried only with its own algorithm. */
  async #verify(token: string, header: JsonObject): Promise<JsonObject | string> {
    const id = textAt(header, 'kid');
    const keys = id === '' ? this.#config.keys : this.#config.keys.filter((key) => key.id === id);
    for (const key of keys) {
      if (header['alg'] !== key.algorithm) continue;
      try {
        const { payload } = await compactVerify(token, key.publicKey, { algorithms: [key.algorithm] });
        const value = parse(Buffer.from(payload).toString('utf8'));
        if (isObject(value) && this.#hasIssuer(value)) return value;
      } catch {
        // Not signed by this key: try the next one.
      }
    }
    return keys.length === 0 ? 'invalid signature, no keys found' : SIGNATURE_INVALID;
  }

  #judge(verified: Verified, token: string, asked: readonly string[] | undefined): Authentication {
    const { payload, claims, user, accepted } = verified;
    if (accepted !== undefined && asked === undefined && claims !== undefined) {
      const problem = this.#timeProblem(claims) ?? this.#objectProblem(claims);
      return problem === undefined ? accepted : failed(problem);
    }
    const { audiences } = this.#config;
    if (textAt(payload, 'iss') === LEGACY_ISSUER) return this.#judgeLegacy(payload, token, asked);
    if (claims === undefined || user === undefined)
      return failed('service account token claims could not be validated');
    const named = claims.audiences.length === 0 ? audiences : claims.audiences;
    const wanted = asked ?? audiences;
    const common = wanted.filter((audience) => named.includes(audience));
    if (common.length === 0)
      return failed(`token audiences ${listText(named)} is invalid for the target audiences ${listText(wanted)}`);
    const problem = this.#timeProblem(claims) ?? this.#objectProblem(claims);
    if (problem !== undefined) return failed(problem);
    const found: Authentication = { kind: 'authenticated', user, audiences: common };
    if (asked === undefined) verified.accepted = found;
    return found;
  }

  #timeProblem({ expiry, notBefore, issuedAt }: ServiceAccountClaims): string | undefined {
    const now = this.#clock.now() / 1000;
    if (notBefore !== undefined && !(now + LEEWAY_SECONDS >= notBefore))
      return 'service account token is not valid yet';
    if (expiry !== undefined && !(now - LEEWAY_SECONDS <= expiry)) return 'service account token has expired';
    if (issuedAt !== undefined && !(now + LEEWAY_SECONDS >= issuedAt))
      return 'service account token is issued in the future';
    return undefined;
  }

  #objectProblem({ namespace, serviceAccount, pod, secret, node }: ServiceAccountClaims): string | undefined {
    const account = this.#objects.identity(SERVICE_ACCOUNTS, namespace, serviceAccount.name);
    if (account === undefined) return `serviceaccounts "${serviceAccount.name}" not found`;
    if (account.uid !== serviceAccount.uid)
      return `service account UID (${account.uid}) does not match claim (${serviceAccount.uid})`;
    if (this.#isGone(account)) return `service account ${namespace}/${serviceAccount.name} has been deleted`;
    return (
      this.#boundProblem('secrets', namespace, secret) ??
      this.#boundProblem('pods', namespace, pod) ??
      (pod === undefined ? this.#boundProblem('nodes', '', node) : undefined)
    );
  }

  #boundProblem(resource: 'pods' | 'secrets' | 'nodes', namespace: string, bound: ObjectClaim | undefined) {
    if (bound === undefined) return undefined;
    const found = this.#objects.identity({ group: '', resource }, namespace, bound.name);
    if (found === undefined || this.#isGone(found)) return INVALIDATED;
    if (found.uid === bound.uid) return undefined;
    const [kind, word] = BOUND_WORDS[resource];
    return `${kind} UID (${found.uid}) does not match service account ${word} ref claim (${bound.uid})`;
  }

  /** An object with finalizers counts as deleted some time after its deletionTimestamp. */
  #isGone({ deletedAt }: { readonly deletedAt: number | undefined }): boolean {
    return deletedAt !== undefined && deletedAt < this.#clock.now() - LEEWAY_SECONDS * 1000;
  }

  /** A token in a Secret is valid as long as the Secret contains it. */
  #judgeLegacy(payload: JsonObject, token: string, asked: readonly string[] | undefined): Authentication {
    const claim = (name: string): string => textAt(payload, `kubernetes.io/serviceaccount/${name}`);
    const namespace = claim('namespace');
    const [secretName, name, uid] = [claim('secret.name'), claim('service-account.name'), claim('service-account.uid')];
    const common = (asked ?? this.#config.audiences).filter((audience) => this.#config.audiences.includes(audience));
    if (common.length === 0) return failed('token audiences are invalid for the target audiences');
    if (textAt(payload, 'sub') !== `system:serviceaccount:${namespace}:${name}` || name === '' || secretName === '')
      return failed('service account token claims could not be validated');
    const secret = this.#objects.get(SECRETS, namespace, secretName);
    if (secret === undefined || textAt(secret, 'metadata', 'deletionTimestamp') !== '') return failed(INVALIDATED);
    const stored = Buffer.from(textAt(secret, 'data', 'token'), 'base64');
    if (!sameBytes(stored, Buffer.from(token))) return failed("service account token does not match server's copy");
    const account = this.#objects.identity(SERVICE_ACCOUNTS, namespace, name);
    if (account === undefined || account.uid !== uid || this.#isGone(account))
      return failed(`service account ${namespace}/${name} has been deleted`);
    return {
      kind: 'authenticated',
      user: {
        name: `system:serviceaccount:${namespace}:${name}`,
        uid,
        groups: serviceAccountGroups({ namespace, name }),
      },
      audiences: common,
    };
  }
}

const SERVICE_ACCOUNTS = { group: '', resource: 'serviceaccounts' } as const;
const SECRETS = { group: '', resource: 'secrets' } as const;
const INVALIDATED = 'service account token has been invalidated';
const BOUND_WORDS = { pods: ['pod', 'pod'], secrets: ['secret', 'secret'], nodes: ['node', 'node'] } as const;

const failed = (reason: string): Authentication => ({ kind: 'failed', reason });

const sameBytes = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

const POD_NAME = 'authentication.kubernetes.io/pod-name';
const POD_UID = 'authentication.kubernetes.io/pod-uid';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const NODE_UID = 'authentication.kubernetes.io/node-uid';
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

function userOf({ namespace, serviceAccount, id, pod, node }: ServiceAccountClaims) {
  const extra: Record<string, readonly string[]> = {};
  if (pod !== undefined) {
    extra[POD_NAME] = [pod.name];
    extra[POD_UID] = [pod.uid];
  }
  if (id !== '') extra[CREDENTIAL_ID] = [`JTI=${id}`];
  if (node !== undefined) {
    extra[NODE_NAME] = [node.name];
    if (node.uid !== '') extra[NODE_UID] = [node.uid];
  }
  return withAuthenticatedGroup({
    name: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
    uid: serviceAccount.uid,
    groups: serviceAccountGroups({ namespace, name: serviceAccount.name }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  });
}

/** One call where Node.js has it (20.12): it costs half of a hash object. */
const sha256: (text: string) => string =
  typeof crypto.hash === 'function'
    ? (text) => crypto.hash('sha256', text, 'base64')
    : (text) => createHash('sha256').update(text).digest('base64');

/** Reads header and payload of a JWT in compact form, without verification. */
function unverifiedParts(token: string): { readonly header: JsonObject; readonly payload: JsonObject } | undefined {
  const parts = token.split('.', 4);
  if (parts.length !== 3) return undefined;
  const [header, payload] = parts.slice(0, 2).map((part) => parse(Buffer.from(part, 'base64url').toString('utf8')));
  return isObject(header) && isObject(payload) ? { header, payload } : undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
