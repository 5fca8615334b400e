import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { type Access, ClientError } from './access.js';
import { clientLimits } from './limits.js';

export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** The server could not be spoken to: nothing has happened there if `connected` is false. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly connected: boolean;

  constructor(endpoint: string, why: string, connected: boolean) {
    super(`${endpoint}: ${why}`);
    this.connected = connected;
  }
}

/** Asks one server. Gives the JSON of its answer; throws `ClientError` with its words when it refuses. */
export async function ask(access: Access, endpoint: string, question: Question): Promise<unknown> {
  const response = await begin(access, endpoint, question, clientLimits.answerTime);
  const text = (await whole(endpoint, response)).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ClientError(`${endpoint} answered ${response.statusCode} with no JSON: is it a trireme server?`);
  }
  if (response.statusCode === 200) return value;
  const { message } = value as { readonly message?: unknown };
  throw new ClientError(typeof message === 'string' ? message : `${endpoint} answered ${response.statusCode}`);
}

/** Copies an answer into a new file. */
export async function download(access: Access, endpoint: string, path: string, file: string): Promise<void> {
  const response = await begin(access, endpoint, { method: 'GET', path }, clientLimits.snapshotSilence);
  if (response.statusCode !== 200) {
    const text = (await whole(endpoint, response)).toString();
    throw new ClientError(`${endpoint} answered ${response.statusCode}: ${text.slice(0, 500)}`);
  }
  await pipeline(response, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  if (!response.complete) throw new Unreachable(endpoint, 'the answer ended early', true);
}

/** Asks the servers in turn until one can be spoken to. A question that may have arrived is not asked elsewhere. */
export async function askAny(access: Access, question: Question): Promise<unknown> {
  return anyOf(access, (endpoint) => ask(access, endpoint, question));
}

export async function anyOf<T>(access: Access, run: (endpoint: string) => Promise<T>): Promise<T> {
  const problems: string[] = [];
  for (const endpoint of access.endpoints) {
    try {
      return await run(endpoint);
    } catch (error) {
      if (!(error instanceof Unreachable) || error.connected) throw error;
      problems.push(error.message);
    }
  }
  throw new ClientError(`no server could be reached: ${problems.join('; ')}`);
}

function begin(access: Access, endpoint: string, question: Question, silence: number): Promise<IncomingMessage> {
  const { ca, cert, key } = access;
  const body = question.body === undefined ? undefined : Buffer.from(JSON.stringify(question.body));
  return new Promise((resolve, reject) => {
    let connected = false;
    const asking = request(
      new URL(question.path, endpoint),
      {
        method: question.method,
        ca,
        cert,
        key,
        agent: false,
        timeout: silence,
        headers: {
          'user-agent': 'triremectl',
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
        },
      },
      resolve,
    );
    asking.on('socket', (socket) => socket.once('secureConnect', () => (connected = true)));
    asking.on('timeout', () => asking.destroy(new Error('no answer in time')));
    asking.on('error', (error) => reject(new Unreachable(endpoint, error.message, connected)));
    asking.end(body);
  });
}

async function whole(endpoint: string, response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > clientLimits.answerBytesMax) throw new Error('the answer is too large');
      pieces.push(piece);
    }
  } catch (error) {
    throw new Unreachable(endpoint, (error as Error).message, true);
  }
  return Buffer.concat(pieces);
}
