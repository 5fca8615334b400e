import { LEGACY_ISSUER } from './issuer.js';
import { duplicateText } from './jws.js';
import { membersOf, statedIssuer, typeOf } from './members.js';

/** The form of the payload of a service-account token: kube-apiserver refuses fields of other types and duplicate ones. */

type Form = 'text' | 'time' | 'audience' | ObjectForm;

interface ObjectForm {
  /** The name of the type in kube-apiserver's errors. */
  readonly type: string;
  readonly fields: Readonly<Record<string, Form>>;
}

const REF: ObjectForm = { type: 'serviceaccount.ref', fields: { name: 'text', uid: 'text' } };
const PUBLIC: Readonly<Record<string, Form>> = {
  iss: 'text',
  sub: 'text',
  aud: 'audience',
  exp: 'time',
  nbf: 'time',
  iat: 'time',
  jti: 'text',
};
const BOUND: ObjectForm = {
  type: 'serviceaccount.privateClaims',
  fields: {
    ...PUBLIC,
    'kubernetes.io': {
      type: 'serviceaccount.kubernetes',
      fields: {
        namespace: 'text',
        serviceaccount: REF,
        pod: REF,
        secret: REF,
        node: REF,
        validatingwebhookconfiguration: REF,
        mutatingwebhookconfiguration: REF,
        warnafter: 'time',
      },
    },
  },
};
const LEGACY: ObjectForm = {
  type: 'serviceaccount.legacyPrivateClaims',
  fields: {
    ...PUBLIC,
    'kubernetes.io/serviceaccount/service-account.name': 'text',
    'kubernetes.io/serviceaccount/service-account.uid': 'text',
    'kubernetes.io/serviceaccount/secret.name': 'text',
    'kubernetes.io/serviceaccount/namespace': 'text',
  },
};

/** Returns why a payload is malformed, with kube-apiserver's text: its first problem. */
export const payloadProblem = (payload: string): string | undefined =>
  problemOf(payload, statedIssuer(payload) === LEGACY_ISSUER ? LEGACY : BOUND);

const TIME = 'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate';
const AUDIENCE = 'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience';

function problemOf(value: string, form: Form): string | undefined {
  const type = typeOf(value);
  if (form === 'audience') return isAudience(value) ? undefined : AUDIENCE;
  if (type === 'null') return undefined;
  if (form === 'time') return type === 'number' && Number.isFinite(Number(value)) ? undefined : TIME;
  if (form === 'text') return type === 'string' ? undefined : mismatch(type, 'string');
  const members = type === 'object' ? membersOf(value) : undefined;
  if (members === undefined) return mismatch(type, form.type);
  const seen = new Set<string>();
  for (const { key, value: inner } of members) {
    if (seen.has(key)) return duplicateText(key);
    seen.add(key);
    const problem = Object.hasOwn(form.fields, key) ? problemOf(inner, form.fields[key]!) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const mismatch = (type: string, wanted: string): string =>
  `json: cannot unmarshal ${type} into Go value of type ${wanted}`;

function isAudience(value: string): boolean {
  const parsed = JSON.parse(value) as unknown;
  return typeof parsed === 'string' || (Array.isArray(parsed) && parsed.every((one) => typeof one === 'string'));
}
