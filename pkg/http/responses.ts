import type { OutgoingHttpHeaders } from 'node:http';
import { ApiError, errors, type Status } from '../api/index.js';
import type { Rendering } from '../registry/index.js';
import type { Log } from '../telemetry/index.js';
import { type Call, timed, whenRecorded } from './call.js';
import { encodeDocument } from './documents.js';
import type { AnswerStream } from './exchange.js';
import { acceptsGzip, gzipped } from './gzip.js';
import { limits } from './limits.js';
import { type DocumentForm, errorForm, MEDIA_TYPES, wantsPretty } from './negotiate.js';
import { PageNotFound } from './pagenotfound.js';
import type { Stages } from './pipeline.js';
import { MalformedPath } from './requestinfo.js';
import { PlainServerError } from './servererror.js';
import { copyPieces } from './streaming.js';
import { BadHandshake } from './websocket.js';

/** Writes all responses. */

/** The headers of every response. */
function headersOf(call: Call, contentType: string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    'audit-id': call.id,
    'cache-control': 'no-cache, private',
    'content-type': contentType,
  };
  flowHeaders(call, headers);
  const warnings = call.warnings;
  // The header may occur several times; Node's types declare one value.
  if (warnings !== undefined) headers['warning'] = warnings as unknown as string;
  return headers;
}

/** The schema and the level by which priority and fairness admitted the request, as in kube-apiserver. */
function flowHeaders({ flow }: Call, headers: OutgoingHttpHeaders): void {
  if (flow === undefined) return;
  headers['x-kubernetes-pf-flowschema-uid'] = flow.schema.uid;
  headers['x-kubernetes-pf-prioritylevel-uid'] = flow.level.uid;
}

/** Sends a complete body, compressed when it is large and the client accepts that, once the request is recorded. */
export function sendBytes(
  call: Call,
  status: number,
  contentType: string,
  body: Buffer,
  more?: OutgoingHttpHeaders,
): void | Promise<void> {
  if (body.length <= limits.plainBytesMax || !acceptsGzip(call))
    return sendPlain(call, status, contentType, body, more);
  call.status = status;
  return whenRecorded(call, () => sendCompressed(call, { ...headersOf(call, contentType), ...more }, piecesOf(body)));
}

/** Sends a complete body as it is, once the request is recorded; a short one also once the response is. */
export function sendPlain(
  call: Call,
  status: number,
  contentType: string,
  body: Buffer,
  more?: OutgoingHttpHeaders,
): void | Promise<void> {
  const headers = headersOf(call, contentType);
  if (more !== undefined) Object.assign(headers, more);
  call.status = status;
  headers['content-length'] = body.length;
  if (body.length > limits.wholeBytesMax)
    return whenRecorded(call, () => copyPieces(call, call.exchange.stream(status, headers), piecesOf(body)));
  call.bytes = body.length;
  const send = (): void => timed(call, 'writingTime', () => call.exchange.send(status, headers, body));
  const recording = call.recorder === undefined ? call.recorded : call.recorder.beforeSend(call);
  return recording === undefined ? send() : recording.then(send);
}

function* piecesOf(body: Buffer): Generator<Buffer, void, boolean | undefined> {
  for (let at = 0; at < body.length; at += limits.pieceBytes) yield body.subarray(at, at + limits.pieceBytes);
}

/** Sends a body in pieces, as fast as the connection accepts them. */
export function sendRendering(call: Call, contentType: string, rendering: Rendering): Promise<void> {
  const headers = headersOf(call, contentType);
  call.status = 200;
  const large = rendering.bytes === undefined || rendering.bytes > limits.plainBytesMax;
  if (large && acceptsGzip(call)) return sendCompressed(call, headers, rendering.chunks);
  if (rendering.bytes !== undefined) headers['content-length'] = rendering.bytes;
  return copyPieces(call, call.exchange.stream(200, headers), rendering.chunks);
}

function sendCompressed(
  call: Call,
  headers: OutgoingHttpHeaders,
  pieces: Iterable<Buffer, void, boolean | undefined>,
): Promise<void> {
  headers['content-encoding'] = 'gzip';
  const vary = headers['vary'];
  if (vary === undefined) headers['vary'] = 'Accept-Encoding';
  else if (!String(vary).includes('Accept-Encoding')) headers['vary'] = `${vary}, Accept-Encoding`;
  const answer = call.exchange.stream(call.status, headers);
  return gzipped(call, answer, pieces);
}

/** Begins the response of a watch. */
export function streamWatch(call: Call, contentType: string): AnswerStream {
  const answer = call.exchange.stream(200, headersOf(call, contentType));
  call.status = call.exchange.websocket ? 101 : 200;
  call.responseStarted?.();
  return answer;
}

/** Begins a response with the headers of another server. */
export function streamRaw(call: Call, status: number, headers: OutgoingHttpHeaders): AnswerStream {
  call.status = status;
  flowHeaders(call, headers);
  headers['audit-id'] = call.id;
  return call.exchange.stream(status, headers);
}

export function sendText(call: Call, status: number, text: string, more?: OutgoingHttpHeaders): void | Promise<void> {
  return sendBytes(call, status, 'text/plain; charset=utf-8', Buffer.from(text), {
    'x-content-type-options': 'nosniff',
    ...more,
  });
}

/** Sends a response without a body: 304, 204, redirects. */
export function sendEmpty(call: Call, status: number, more: OutgoingHttpHeaders): void {
  call.status = status;
  const headers: OutgoingHttpHeaders = { 'audit-id': call.id, 'cache-control': 'no-cache, private', ...more };
  flowHeaders(call, headers);
  // Other responses have a body by definition, which is empty here.
  if (status !== 204 && status !== 304 && call.exchange.method !== 'HEAD') headers['content-length'] = 0;
  call.exchange.send(status, headers, undefined);
}

/**
 * Sends an error as a Status. An error that is not an `ApiError` is an internal error: it is logged completely, and the
 * client gets a 500 with only the request's id.
 */
export function sendError(
  call: Call,
  error: unknown,
  stages: Pick<Stages, 'log' | 'supportedEncodings'>,
): void | Promise<void> {
  const { exchange } = call;
  if (exchange.gone) return;
  if (error instanceof MalformedPath) return sendText(call, 400, '400 Bad Request');
  if (error instanceof PageNotFound) return sendText(call, 404, `${error.message}\n`);
  if (error instanceof PlainServerError) return sendText(call, 500, `${error.message}\n`);
  if (error instanceof BadHandshake) return sendText(call, 400, error.message, { 'sec-websocket-version': '13' });
  const failure = error instanceof ApiError ? error : fault(call, error, stages.log);
  // The response has begun: aborting the connection shows the client that it is incomplete.
  if (exchange.answered) {
    exchange.abort();
    return;
  }
  const { status } = failure;
  const retry = status.details?.retryAfterSeconds;
  const more = {
    ...(retry === undefined || retry === 0 ? {} : { 'retry-after': String(retry) }),
    ...(call.deciding ? { 'x-content-type-options': 'nosniff' } : {}),
  };
  const wanted = { accept: exchange.headers.accept, query: call.info.query, userAgent: call.userAgent };
  // Before authentication no encoding is negotiated.
  const form: DocumentForm =
    call.user.name === ''
      ? { encoding: 'json', pretty: wantsPretty(wanted, false) }
      : errorForm(wanted, stages.supportedEncodings);
  return sendStatus(call, status.code, status, form, more);
}

export function sendStatus(
  call: Call,
  code: number,
  status: Status,
  { encoding, pretty }: DocumentForm,
  more?: OutgoingHttpHeaders,
): void | Promise<void> {
  const { audit } = call;
  if (audit === undefined) call.refusal = status;
  // As in kube-apiserver, whose answer without an accepted encoding passes by its audit.
  else if (status.reason !== 'NotAcceptable') {
    audit.status = status;
    if (audit.wantsResponse) audit.responseObject = JSON.stringify(status);
  }
  const body = timed(call, 'encodingTime', () => encodeDocument(status, encoding, pretty));
  return sendBytes(call, code, MEDIA_TYPES[encoding], body, more);
}

function fault(call: Call, error: unknown, log: Log): ApiError {
  call.panic = error instanceof Error ? error.message : String(error);
  log.error({ err: error, auditId: call.id, method: call.exchange.method, path: call.info.path }, 'request failed');
  return errors.internal(`internal error, see the server's log for audit id ${call.id}`);
}
