import { CompactSign } from 'jose';
import type { JsonObject } from '../../api/index.js';
import type { World } from '../../base/index.js';
import { type NewToken, payloadOf } from './claims.js';
import type { SigningKey } from './keys.js';

/** The issuer of legacy tokens, which are in Secrets and do not expire. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

/** Signs service-account tokens. */
export class TokenIssuer {
  readonly issuer: string;
  #key: SigningKey;
  readonly #world: World;

  constructor(issuer: string, key: SigningKey, world: World) {
    this.issuer = issuer;
    this.#key = key;
    this.#world = world;
  }

  /** Signs with this key from now on. */
  use(key: SigningKey): void {
    this.#key = key;
  }

  /** `id` is the claim `jti`. */
  issue(token: NewToken, id = this.#world.random.uuid()): Promise<string> {
    return this.#sign(payloadOf(token, this.issuer, this.#world.clock.now(), id));
  }

  /** The token of a Secret of type `kubernetes.io/service-account-token`. */
  issueLegacy(of: LegacyToken): Promise<string> {
    return this.#sign({
      iss: LEGACY_ISSUER,
      'kubernetes.io/serviceaccount/namespace': of.namespace,
      'kubernetes.io/serviceaccount/secret.name': of.secret,
      'kubernetes.io/serviceaccount/service-account.name': of.serviceAccount,
      'kubernetes.io/serviceaccount/service-account.uid': of.uid,
      sub: `system:serviceaccount:${of.namespace}:${of.serviceAccount}`,
    });
  }

  #sign(payload: JsonObject): Promise<string> {
    return new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: this.#key.algorithm, kid: this.#key.id })
      .sign(this.#key.privateKey);
  }
}

export interface LegacyToken {
  readonly namespace: string;
  readonly secret: string;
  readonly serviceAccount: string;
  readonly uid: string;
}
