import { goQuote, isObject, type JsonObject, type JsonValue, versionKindProblem } from '../api/index.js';
import { finish, type Steps } from '../base/index.js';
import { readJsonBody } from '../codec/index.js';
import type { OutboundResponse } from './target.js';

/** A body that is not the object that was asked for. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The type of a review, and the versions of it that exist. */
export interface ReviewType {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  readonly versions: readonly string[];
}

/** The body of a response as a review of this type. Throws `DecodeError` with the texts of the decoder of client-go. */
export function decodeReview(type: ReviewType, response: OutboundResponse): JsonObject {
  return finish(reviewSteps(type, response));
}

/** `decodeReview` in steps. A body with more values than `valuesMax` is refused; by default that is the limit for requests. */
export function* reviewSteps(
  type: ReviewType,
  { body, status, headers }: OutboundResponse,
  valuesMax?: number,
): Steps<JsonObject> {
  const { group, version, versions } = type;
  const fail = (message: string): DecodeError => new DecodeError(message);
  if (body.length === 0) {
    const media = typeof headers['content-type'] === 'string' ? headers['content-type'] : 'application/json';
    throw fail(`0-length response with status code: ${status} and content type: ${media}`);
  }
  const value = yield* objectSteps(body, valuesMax);
  if (value === null) return {};
  // Without them, the review is taken for the one that was expected; the checks of v1 refuse it then.
  const apiVersion = value['apiVersion'] || `${group}/${version}`;
  const kind = value['kind'] || type.kind;
  if (apiVersion !== `${group}/${version}` || kind !== type.kind) {
    const known = kind === type.kind && versions.some((v) => apiVersion === `${group}/${v}`);
    const other = String(apiVersion).slice(group.length + 1);
    if (apiVersion === 'v1' && kind === 'Status')
      throw fail(`converting (v1.Status) to (${version}.${type.kind}): unknown conversion`);
    if (known) throw fail(`converting (${other}.${type.kind}) to (${version}.${type.kind}): unknown conversion`);
    throw fail(
      `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  return value;
}

function* objectSteps(body: Buffer, valuesMax?: number): Steps<JsonObject | null> {
  const read = yield* readJsonBody(body, valuesMax);
  if (!read.ok) {
    // What is not JSON is read as YAML, where such a text is a string.
    const isText = read.syntax && !'[{"'.includes(body.toString().trimStart()[0] ?? '"');
    throw new DecodeError(
      isText ? versionKindProblem('string') : `couldn't get version/kind; json parse error: ${read.message}`,
    );
  }
  const { value } = read;
  if (value !== null && !isObject(value)) throw new DecodeError(versionKindProblem(jsonType(value)));
  return value;
}

/** Reads an object with a version and a kind. Throws `DecodeError` with the text of kube-apiserver. */
export const readVersioned = (text: string): JsonObject => finish(objectSteps(Buffer.from(text))) ?? {};

/** The name of a JSON type in errors of Go. */
export function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
