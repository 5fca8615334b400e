import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, errors } from '../api/index.js';
import type { Timers } from '../base/index.js';
import { limits } from './limits.js';

/** Responses to requests that are rejected before the pipeline runs. */

/**
 * Returns why an HTTP/1.1 request is rejected before it is interpreted, or undefined. Headers delimit a request and
 * name its host, so ambiguous ones are rejected (RFC 9112, 3.2 and 6.1). Headers are never dropped, because a dropped
 * header may restrict permissions.
 */
export function malformed(request: IncomingMessage): ApiError | undefined {
  const raw = request.rawHeaders;
  if (raw.length > 2 * limits.headersMax) return errors.headersTooLarge(`more than ${limits.headersMax} header lines`);
  let hosts = 0;
  for (let i = 0; i < raw.length; i += 2) if (raw[i]!.length === 4 && raw[i]!.toLowerCase() === 'host') hosts++;
  if (hosts > 1) return errors.badRequest('too many Host headers');
  if (hosts === 0 && request.httpVersion === '1.1') return errors.badRequest('missing required Host header');
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return errors.unsupportedTransferEncoding(coding);
  return undefined;
}

/** Rejects with a Status and closes the connection, because the beginning of the next request is uncertain. */
export function refuseRequest(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  const body = `${JSON.stringify(error.status)}\n`;
  response.writeHead(error.status.code, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
  request.resume();
}

/**
 * Responds to a request that Node's parser rejects. There is no response object, so the bytes are written directly, after the responses to the
 * requests before it. Nothing more is read from the connection.
 */
export function refuse(timers: Timers, code: string | undefined, socket: Socket): void {
  if (socket.destroyed || !socket.writable) return;
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    socket.destroy();
    return;
  }
  const before = responseBefore(socket);
  if (before === undefined) {
    refuseWith(timers, socket, refusal(code));
    return;
  }
  socket.pause();
  before.once('close', () => refuse(timers, code, socket));
}

/** The response in progress, if its request was read whole. If not, the parser has rejected that request. */
function responseBefore(socket: Socket): ServerResponse | undefined {
  // Node keeps the response that is being written in a field that its types do not list.
  const response = (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
  return response?.req.complete === true ? response : undefined;
}

/** Give the client time to read the response, then close the connection: no other timer covers it. */
export function refuseWith(timers: Timers, socket: Socket, answer: string): void {
  socket.end(answer);
  timers.after(limits.partingTime, () => socket.destroy());
}

function refusal(code: string | undefined): string {
  switch (code) {
    case 'HPE_INVALID_METHOD':
      return statusText(errors.methodNotAllowed());
    case 'HPE_HEADER_OVERFLOW':
      return inWords('431 Request Header Fields Too Large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return inWords('408 Request Timeout');
    default:
      return inWords('400 Bad Request');
  }
}

export const statusText = (error: ApiError): string =>
  raw(
    `${error.status.code} ${STATUS_CODES[error.status.code] ?? ''}`,
    'application/json',
    `${JSON.stringify(error.status)}\n`,
  );

const inWords = (status: string): string => raw(status, 'text/plain; charset=utf-8', status);

function raw(status: string, type: string, body: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
