import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { addressOf, httpProxy } from '../outbound/index.js';
import type { Access } from './access.js';
import { ClientError } from './error.js';
import { clientLimits } from './limits.js';

export interface Question {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** A server that could not be reached. The request was not sent if `connected` is false. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly connected: boolean;

  constructor(endpoint: string, why: string, connected: boolean) {
    super(`${endpoint}: ${why}`);
    this.connected = connected;
  }
}

/** A server refused the request without any effect, for a reason that another server may not have. */
export class NotHere extends ClientError {
  readonly isNotHere = true;
}

const ELECTION = ['no leader is known', 'the leader has changed'];

/** Sends a request to one server and returns the JSON of the response. Throws `ClientError` with the server's message. */
export async function ask(access: Access, endpoint: string, question: Question): Promise<unknown> {
  const response = await begin(access, endpoint, question, clientLimits.answerTime);
  const text = (await whole(endpoint, response)).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ClientError(`${endpoint} returned ${response.statusCode} without JSON: is it a trireme server?`);
  }
  if (response.statusCode === 200 || response.statusCode === 201) return value;
  const { message } = value as { readonly message?: unknown };
  const words = typeof message === 'string' ? message : `${endpoint} answered ${response.statusCode}`;
  // Servers return 503 while they start or stop, and 409 with these words if they know no leader, or only a former one.
  const isNotHere =
    response.statusCode === 503 || (response.statusCode === 409 && ELECTION.some((w) => words.includes(w)));
  throw isNotHere ? new NotHere(`${endpoint}: ${words}`) : new ClientError(words);
}

/** Writes a response to a new file. */
export async function download(access: Access, endpoint: string, path: string, file: string): Promise<void> {
  const response = await begin(access, endpoint, { method: 'GET', path }, clientLimits.snapshotSilence);
  if (response.statusCode !== 200) {
    const text = (await whole(endpoint, response)).toString();
    throw new ClientError(`${endpoint} answered ${response.statusCode}: ${text.slice(0, 500)}`);
  }
  await pipeline(response, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  if (!response.complete) throw new Unreachable(endpoint, 'the response ended early', true);
}

/**
 * Sends the request to the servers in turn until one responds. A request that changes something and may have arrived is
 * not sent to another server; a read is.
 */
export async function askAny(access: Access, question: Question): Promise<unknown> {
  return anyOf(access, (endpoint) => ask(access, endpoint, question), question.method === 'GET');
}

export async function anyOf<T>(access: Access, run: (endpoint: string) => Promise<T>, onlyReads = true): Promise<T> {
  const problems: string[] = [];
  for (const endpoint of access.endpoints) {
    try {
      return await run(endpoint);
    } catch (error) {
      const elsewhere = error instanceof NotHere || (error instanceof Unreachable && (onlyReads || !error.connected));
      if (!elsewhere) {
        if (!(error instanceof Unreachable)) throw error;
        throw new ClientError(`${error.message}; the request may have been executed: check before you repeat it`);
      }
      problems.push((error as Error).message);
    }
  }
  throw new ClientError(`no server responded: ${problems.join('; ')}`);
}

async function begin(
  { config }: Access,
  endpoint: string,
  question: Question,
  silence: number,
): Promise<IncomingMessage> {
  const { ca, serverName, insecure, proxy } = config;
  const { certificate, authorization, headers } = await config.credentials();
  const bearer = authorization?.();
  const body = question.body === undefined ? undefined : Buffer.from(JSON.stringify(question.body));
  const socket = proxy === undefined ? undefined : await throughProxy(proxy, ca, endpoint);
  return new Promise((resolve, reject) => {
    let connected = false;
    const asking = request(
      new URL(question.path, endpoint),
      {
        method: question.method,
        ca,
        ...certificate,
        ...(serverName === undefined ? {} : { servername: serverName }),
        rejectUnauthorized: !insecure,
        agent: false,
        ...(socket === undefined ? {} : { socket }),
        timeout: silence,
        headers: {
          'user-agent': 'triremectl',
          ...headers,
          ...(bearer === undefined ? {} : { authorization: bearer }),
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
        },
      },
      resolve,
    );
    asking.on('socket', (socket) => socket.once('secureConnect', () => (connected = true)));
    asking.on('timeout', () => asking.destroy(new Error('timed out')));
    asking.on('error', (error) => reject(new Unreachable(endpoint, sentenceOf(error), connected)));
    asking.end(body);
  });
}

/** Connects to a server through the proxy of the kubeconfig. */
async function throughProxy(proxy: string, ca: string | undefined, endpoint: string): Promise<Socket> {
  try {
    const dial = httpProxy(proxy, ca, { clock: { now: () => Date.now(), monotonic: () => performance.now() } });
    return await dial(addressOf(new URL(endpoint).origin), AbortSignal.timeout(clientLimits.answerTime));
  } catch (error) {
    throw new Unreachable(endpoint, (error as Error).message, false);
  }
}

/** Describes a connection error for an operator. */
function sentenceOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return SENTENCES.get(code ?? '') ?? error.message;
}

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'no server listens there'],
  ['ENOTFOUND', 'the host name is unknown'],
  ['EAI_AGAIN', 'the host name cannot be resolved now'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ETIMEDOUT', 'the host does not respond'],
  ['ECONNRESET', 'the server closed the connection'],
  ['EPIPE', 'the server closed the connection'],
  ['CERT_HAS_EXPIRED', "the server's certificate has expired"],
  ['SELF_SIGNED_CERT_IN_CHAIN', "the server's certificate was not issued by the authority in the kubeconfig"],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', "the server's certificate was not issued by the authority in the kubeconfig"],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', "the server's certificate was not issued by the authority in the kubeconfig"],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "the server's certificate is not for that host"],
]);

async function whole(endpoint: string, response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > clientLimits.answerBytesMax) throw new Error('the response is too large');
      pieces.push(piece);
    }
  } catch (error) {
    throw new Unreachable(endpoint, (error as Error).message, true);
  }
  return Buffer.concat(pieces);
}
