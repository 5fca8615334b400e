import { isObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../api/index.js';
import { comparedSeconds, integerOf } from './numericdate.js';

/** An object to which a token belongs or is bound. */
export interface ObjectClaim {
  readonly name: string;
  readonly uid: string;
}

/** The configuration of webhooks that a token is bound to, and what its bearer may review. */
export interface WebhookClaims {
  readonly validating?: ObjectClaim | undefined;
  readonly mutating?: ObjectClaim | undefined;
  /** The API groups whose admission reviews the bearer may send. */
  readonly reviewGroups: readonly string[];
}

/** The attestation of a token for a webhook. */
const REVIEW_GROUPS = 'admissionReviewAPIGroups';

/** The claims of a service-account token after its signature was verified. Times in seconds since the epoch. */
export interface ServiceAccountClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly id: string;
  readonly expiry: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
  readonly namespace: string;
  readonly serviceAccount: ObjectClaim;
  readonly pod: ObjectClaim | undefined;
  readonly secret: ObjectClaim | undefined;
  readonly node: ObjectClaim | undefined;
  readonly webhooks: WebhookClaims;
  /** The time after which the use of the token is reported, in seconds since the epoch. */
  readonly warnAfter: number | undefined;
}

const PRIVATE = 'kubernetes.io';

/** Reads the payload of a token; undefined if it does not have the form of a service-account token. */
export function readClaims(payload: JsonValue): ServiceAccountClaims | undefined {
  if (!isObject(payload)) return undefined;
  const own = objectAt(payload, PRIVATE);
  const audiences = audiencesOf(payload['aud']);
  if (audiences === undefined) return undefined;
  // Every comparison with a time that is not a number is false: the token is then not valid.
  const time = (field: string): number | undefined => {
    const value = payload[field] ?? undefined;
    return value === undefined ? undefined : typeof value === 'number' ? comparedSeconds(integerOf(value)) : Number.NaN;
  };
  return {
    issuer: textAt(payload, 'iss'),
    subject: textAt(payload, 'sub'),
    audiences,
    id: textAt(payload, 'jti'),
    expiry: time('exp'),
    notBefore: time('nbf'),
    issuedAt: time('iat'),
    namespace: textAt(own, 'namespace'),
    serviceAccount: claimOf(own, 'serviceaccount') ?? { name: '', uid: '' },
    pod: claimOf(own, 'pod'),
    secret: claimOf(own, 'secret'),
    node: claimOf(own, 'node'),
    webhooks: {
      validating: claimOf(own, 'validatingwebhookconfiguration'),
      mutating: claimOf(own, 'mutatingwebhookconfiguration'),
      reviewGroups: textsAt(objectAt(own, 'attestations'), REVIEW_GROUPS),
    },
    warnAfter: typeof own?.['warnafter'] === 'number' && own['warnafter'] !== 0 ? own['warnafter'] : undefined,
  };
}

/** RFC 7519, 4.1.3: a text or a list of texts. A token without the claim has none; undefined for any other value. */
function audiencesOf(aud: JsonValue | undefined): readonly string[] | undefined {
  if (aud === undefined) return [];
  const all = Array.isArray(aud) ? aud : [aud];
  return all.every((a) => typeof a === 'string') ? all : undefined;
}

function claimOf(own: JsonObject, field: string): ObjectClaim | undefined {
  const found = own[field];
  return isObject(found) ? { name: textAt(found, 'name'), uid: textAt(found, 'uid') } : undefined;
}

function textsAt(object: JsonObject | undefined, field: string): readonly string[] {
  const found = object?.[field];
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
}

/** The claims of a new token. */
export interface NewToken {
  readonly namespace: string;
  readonly serviceAccount: ObjectClaim;
  readonly audiences: readonly string[];
  readonly seconds: number;
  /** Seconds after which use of the token is reported, although it is still valid; 0: never. */
  readonly warnAfterSeconds: number;
  readonly pod?: ObjectClaim | undefined;
  readonly secret?: ObjectClaim | undefined;
  readonly node?: ObjectClaim | undefined;
  readonly webhooks?: WebhookClaims | undefined;
}

/** The payload of a token that is valid from `now` (milliseconds since the epoch). `id`: a random UUID. */
export function payloadOf(token: NewToken, issuer: string, now: number, id: string): JsonObject {
  const { namespace, serviceAccount, audiences, seconds, warnAfterSeconds, pod, secret, node, webhooks } = token;
  const start = Math.floor(now / 1000);
  return {
    aud: [...audiences],
    exp: start + seconds,
    iat: start,
    iss: issuer,
    jti: id,
    [PRIVATE]: {
      ...(webhooks === undefined ? {} : { attestations: { [REVIEW_GROUPS]: [...webhooks.reviewGroups] } }),
      ...(webhooks?.mutating === undefined ? {} : { mutatingwebhookconfiguration: { ...webhooks.mutating } }),
      namespace,
      ...(node === undefined ? {} : { node: node.uid === '' ? { name: node.name } : { ...node } }),
      ...(pod === undefined ? {} : { pod: { ...pod } }),
      ...(secret === undefined ? {} : { secret: { ...secret } }),
      serviceaccount: { ...serviceAccount },
      ...(webhooks?.validating === undefined ? {} : { validatingwebhookconfiguration: { ...webhooks.validating } }),
      ...(warnAfterSeconds === 0 ? {} : { warnafter: start + warnAfterSeconds }),
    },
    nbf: start,
    sub: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
  };
}
