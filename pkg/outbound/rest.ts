import { ApiError, goQuote, isObject, type JsonValue, type StatusReason } from '../api/index.js';
import { headerOf, type OutboundResponse } from './target.js';

/** The texts of client-go for responses that are not a Status, by code. */
const SENTENCES: Readonly<Record<number, readonly [StatusReason, string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  409: ['AlreadyExists', 'the server reported a conflict'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

/** Maximum length of an error text; the rest is truncated. */
const TEXT_MAX = 2048;

/** Returns the error of client-go for a response to a POST with a code other than 2xx; undefined for success. */
export function restError(response: OutboundResponse): ApiError | undefined {
  const { status } = response;
  if (status >= 200 && status <= 206) return undefined;
  return statusIn(response) ?? unstructured(response);
}

/** Size of a Status; what is larger is shown as text. */
const STATUS_BYTES_MAX = 1 << 20;

/** The body, if it is a Status with a failure. */
function statusIn({ body }: OutboundResponse): ApiError | undefined {
  if (body[0] !== 0x7b || body.length > STATUS_BYTES_MAX) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(body.toString()) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(value) || value['kind'] !== 'Status' || value['apiVersion'] !== 'v1') return undefined;
  if (value['status'] === 'Success') return undefined;
  const { message, reason, code, details } = value;
  return new ApiError(
    typeof code === 'number' ? code : 0,
    typeof reason === 'string' && reason !== '' ? (reason as StatusReason) : undefined,
    typeof message === 'string' ? message : '',
    isObject(details) ? (details as object) : undefined,
  );
}

function unstructured(response: OutboundResponse): ApiError {
  const { status, body } = response;
  const type = headerOf(response, 'content-type').split(';', 1)[0]!.trim().toLowerCase();
  const isText = type === '' || type.startsWith('text/');
  const text = isText ? body.toString('utf8', 0, TEXT_MAX).trim() : 'unknown';
  const seconds = Number.parseInt(headerOf(response, 'retry-after'), 10);
  const details = {
    causes: [{ reason: 'UnexpectedServerResponse', message: text }],
    ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  };
  if (status === 403) return new ApiError(status, 'Forbidden', text, details);
  if (status === 406) {
    const none = text === '' || text === 'unknown';
    const sentence = 'the server was unable to respond with a content type that the client supports';
    return new ApiError(status, 'NotAcceptable', none ? sentence : text, details);
  }
  if (status === 415) return new ApiError(status, 'UnsupportedMediaType', text, details);
  const known = SENTENCES[status];
  if (known !== undefined) return new ApiError(status, known[0], known[1], details);
  if (status >= 500) {
    const sentence = `an error on the server (${goQuote(text)}) has prevented the request from succeeding`;
    return new ApiError(status, 'InternalError', sentence, details);
  }
  const sentence = `the server responded with the status code ${status} but did not return more information`;
  return new ApiError(status, undefined, sentence, details);
}
