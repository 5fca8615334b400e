import { isObject, type JsonObject, textAt } from '../../api/index.js';
import type { IssuerAccess, IssuerKeys } from './keys.js';
import { type Unverified, unverifiedIn } from './token.js';

/** Maximum number of issuers of distributed claims that are kept: their names come from tokens. */
const ISSUERS_MAX = 64;

type Verify = (token: Unverified, keys: IssuerKeys, issuer: string) => Promise<JsonObject>;

/**
 * Fetches a distributed claim (OpenID Connect Core 1.0, section 5.6.2): a token with too many groups names an endpoint
 * that returns them in another token.
 */
export class ClaimResolver {
  readonly #claim: string;
  readonly #access: IssuerAccess;
  readonly #keysOf: (issuer: string) => IssuerKeys;
  readonly #verify: Verify;
  readonly #issuers = new Map<string, IssuerKeys>();

  constructor(claim: string, access: IssuerAccess, keysOf: (issuer: string) => IssuerKeys, verify: Verify) {
    this.#claim = claim;
    this.#access = access;
    this.#keysOf = keysOf;
    this.#verify = verify;
  }

  close(): void {
    for (const keys of this.#issuers.values()) keys.close();
  }

  /** Returns the claims including the distributed one. Throws an Error with the reason. */
  async expand(claims: JsonObject): Promise<JsonObject> {
    const source = this.#sourceOf(claims);
    if (source === undefined) return claims;
    const { endpoint, accessToken } = source;
    if (!endpoint.startsWith('https://')) throw problem(`while calling ${endpoint}: only https is supported`);
    const { status, body } = await this.#access.fetch(endpoint, accessToken).catch((error: Error) => {
      throw problem(`while getting distributed claim ${JSON.stringify(this.#claim)}: ${error.message}`);
    });
    if (status < 200 || status > 226) throw problem(`error while getting distributed claim JWT: ${status}`);
    const token = await unverifiedIn(body.trim(), this.#access.readJson);
    const issuer = token?.issuer;
    if (token === undefined || issuer === undefined || !issuer.startsWith('https://'))
      throw problem(
        `getting untrusted issuer from endpoint ${endpoint} failed for claim ${JSON.stringify(this.#claim)}`,
      );
    const keys = this.#verifier(issuer);
    await keys.attempted;
    if (keys.problem !== undefined) throw problem(`verifier not initialized for issuer: ${JSON.stringify(issuer)}`);
    const found = await this.#verify(token, keys, issuer).catch((error: Error) => {
      throw problem(`verify distributed claim token: ${error.message}`);
    });
    if (!Object.hasOwn(found, this.#claim))
      throw problem(
        `jwt returned by distributed claim endpoint ${JSON.stringify(endpoint)} did not contain claim: ${this.#claim}`,
      );
    return { ...claims, [this.#claim]: found[this.#claim]! };
  }

  #verifier(issuer: string): IssuerKeys {
    let keys = this.#issuers.get(issuer);
    if (keys === undefined) {
      if (this.#issuers.size >= ISSUERS_MAX) throw problem('too many issuers of distributed claims');
      keys = this.#keysOf(issuer);
      this.#issuers.set(issuer, keys);
    }
    return keys;
  }

  /** Returns the endpoint of the claim; undefined if the token has the claim itself, or does not distribute it. */
  #sourceOf(claims: JsonObject): { readonly endpoint: string; readonly accessToken: string } | undefined {
    if (Object.hasOwn(claims, this.#claim) || claims['_claim_names'] === undefined) return undefined;
    const names = claims['_claim_names'];
    if (!isObject(names)) throw problem('error parsing distributed claim names');
    const sources = claims['_claim_sources'];
    if (sources === undefined) throw problem('no claim sources');
    if (!isObject(sources)) throw problem('could not parse claim sources');
    const name = Object.hasOwn(names, this.#claim) ? names[this.#claim] : undefined;
    if (typeof name !== 'string') return undefined;
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (!isObject(source)) throw problem(`id token _claim_names contained a source ${name} missing in _claims_sources`);
    const endpoint = textAt(source, 'endpoint');
    return endpoint === '' ? undefined : { endpoint, accessToken: textAt(source, 'access_token') };
  }
}

const problem = (why: string): Error => new Error(`oidc: could not expand distributed claims: oidc: ${why}`);
