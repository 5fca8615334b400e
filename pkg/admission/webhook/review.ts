import {
  type AdmissionObjects,
  type AdmissionRequest,
  goQuote,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import { jsonText } from '../../codec/index.js';
import { jsonType, type OutboundResponse, reviewSteps } from '../../outbound/index.js';
import { requestJson } from '../policy/evaluation.js';

const GROUP = 'admission.k8s.io';
export const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** The AdmissionReview for a request. */
export function reviewBody(version: string, uid: string, request: AdmissionRequest, matched: AdmissionObjects): Buffer {
  const { options, ...fields } = requestJson(request, matched.subject);
  const review: JsonObject = {
    kind: 'AdmissionReview',
    apiVersion: `${GROUP}/${version}`,
    request: {
      uid,
      ...fields,
      object: matched.object ?? null,
      oldObject: matched.old ?? null,
      options: isObject(options) && Object.keys(options).length > 0 ? options : null,
    },
  };
  return Buffer.from(jsonText(review));
}

/** The decision of a webhook. */
export interface Verdict {
  readonly allowed: boolean;
  readonly result: JsonObject;
  /** The JSON patch as text; '' for none. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** A response that is not a usable AdmissionReview. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
  /** Whether the response is an AdmissionReview, but an invalid one. */
  readonly invalid: boolean;

  constructor(message: string, invalid: boolean) {
    super(message);
    this.invalid = invalid;
  }
}

/** Reads the response of a webhook in steps, and checks it as kube-apiserver does: strictly for v1. Throws `ReviewError`. */
export function* verdictSteps(
  version: string,
  uid: string,
  mutating: boolean,
  answer: OutboundResponse,
): Steps<Verdict> {
  const type = { group: GROUP, kind: 'AdmissionReview', version, versions: REVIEW_VERSIONS };
  const review = yield* reviewSteps(type, answer);
  const wrong = (message: string): ReviewError => new ReviewError(message, true);
  const response = review['response'] ?? null;
  if (response === null) throw wrong('webhook response was absent');
  const given = typed(response, RESPONSE, 'response', 'AdmissionResponse');
  const text = (name: string): string => (typeof given[name] === 'string' ? (given[name] as string) : '');
  yield;
  const illegal = illegalBase64(text('patch'));
  if (illegal >= 0) throw new ReviewError(`illegal base64 data at input byte ${illegal}`, false);
  const [patch, patchType] = [Buffer.from(text('patch'), 'base64').toString(), given['patchType'] ?? null];
  if (version === 'v1') {
    if (text('uid') !== uid) throw wrong(`expected response.uid=${goQuote(uid)}, got ${goQuote(text('uid'))}`);
    const [group = '', v = ''] = splitVersion(String(review['apiVersion'] ?? ''));
    const kind = String(review['kind'] ?? '');
    if (group !== GROUP || v !== 'v1' || kind !== 'AdmissionReview')
      throw wrong(`expected webhook response of ${GROUP}/v1, Kind=AdmissionReview, got ${group}/${v}, Kind=${kind}`);
    checkPatch(mutating, patch, patchType, wrong);
  }
  return {
    allowed: given['allowed'] === true,
    result: isObject(given['status']) ? given['status'] : {},
    patch: mutating ? patch : '',
    // The older version did not check the type.
    patchType: version === 'v1' ? String(patchType ?? '') : 'JSONPatch',
    warnings: Array.isArray(given['warnings']) ? given['warnings'].map(String) : [],
    auditAnnotations: (isObject(given['auditAnnotations']) ? given['auditAnnotations'] : {}) as Record<string, string>,
  };
}

/** The index of the first byte that is not base64; -1 for none. */
function illegalBase64(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/=]/);
  return at >= 0 || text.length % 4 === 0 ? at : text.length;
}

function checkPatch(mutating: boolean, patch: string, type: JsonValue, wrong: (message: string) => ReviewError): void {
  if (!mutating) {
    if (patch !== '') throw wrong('validating webhook may not return response.patch');
    if (type !== null) throw wrong('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && type === null) throw wrong('webhook returned response.patch but not response.patchType');
  if (patch === '' && type !== null) throw wrong('webhook returned response.patchType but not response.patch');
  if (type === '') throw wrong(`webhook returned invalid response.patchType of ${goQuote('')}`);
}

function splitVersion(apiVersion: string): readonly string[] {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

const RESPONSE: Readonly<Record<string, string>> = {
  uid: 'string',
  allowed: 'bool',
  patch: 'string',
  patchType: 'string',
  status: 'object',
  warnings: 'array',
  auditAnnotations: 'object',
};
const GO_TYPES: Readonly<Record<string, string>> = {
  uid: 'types.UID',
  allowed: 'bool',
  patch: '[]uint8',
  patchType: 'v1.PatchType',
  status: 'v1.Status',
  warnings: '[]string',
  auditAnnotations: 'map[string]string',
};

function typed(value: JsonValue, types: Readonly<Record<string, string>>, path: string, struct: string): JsonObject {
  if (!isObject(value))
    throw new ReviewError(
      `json: cannot unmarshal ${jsonType(value)} into Go struct field AdmissionReview.${path} of type v1.${struct}`,
      false,
    );
  for (const [name, type] of Object.entries(types)) {
    const found = value[name];
    if (found === undefined || found === null || jsonType(found) === type) continue;
    throw new ReviewError(
      `json: cannot unmarshal ${jsonType(found)} into Go struct field ${struct}.${path}.${name} of type ${GO_TYPES[name] ?? type}`,
      false,
    );
  }
  return value;
}
