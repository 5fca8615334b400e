import { goQuote, isObject, type JsonObject, type JsonValue } from '../api/index.js';
import type { OutboundResponse } from './target.js';

const NOT_AN_OBJECT =
  "couldn't get version/kind; json parse error: json: cannot unmarshal TYPE into Go value of type " +
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

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
export function decodeReview(type: ReviewType, { body, status, headers }: OutboundResponse): JsonObject {
  const { group, version, versions } = type;
  const fail = (message: string): DecodeError => new DecodeError(message);
  if (body.length === 0) {
    const media = typeof headers['content-type'] === 'string' ? headers['content-type'] : 'application/json';
    throw fail(`0-length response with status code: ${status} and content type: ${media}`);
  }
  const text = body.toString();
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // What is not JSON is read as YAML, where such a text is a string.
    if (!'[{"'.includes(text.trimStart()[0] ?? '"')) throw fail(NOT_AN_OBJECT.replace('TYPE', 'string'));
    throw fail(`couldn't get version/kind; json parse error: ${goJsonProblem(text)}`);
  }
  if (value === null) return {};
  if (!isObject(value)) throw fail(NOT_AN_OBJECT.replace('TYPE', jsonType(value)));
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

/** The text of Go for JSON that cannot be parsed. */
export function goJsonProblem(text: string): string {
  const first = text.trimStart()[0];
  if (first === undefined) return 'unexpected end of JSON input';
  if (!'{["-0123456789tfn'.includes(first)) return `invalid character ${runeOf(first)} looking for beginning of value`;
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    const { message } = error as Error;
    return message.includes('end of JSON') || message.includes('Unterminated')
      ? 'unexpected end of JSON input'
      : message;
  }
}

const runeOf = (c: string): string => (c === "'" ? `'\\''` : `'${c}'`);

/** The name of a JSON type in errors of Go. */
export function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
