import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { testWorld } from '../../http/testing.js';
import type { ClientConfig } from '../config/connect.js';
import { Informer, type InformerOptions } from './informer.js';
import { type ApiObject, ResourceClient } from './resource.js';
import { RestClient } from './rest.js';

type Answer = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => void;

let ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

/** A server that gives each request to the next of `answers`, and the last one to all further requests. */
async function serving(...answers: Answer[]) {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const answer = answers[Math.min(requests.length, answers.length) - 1]!;
    answer(request, response, new URL(request.url!, 'http://h').searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  ends.push(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  let refusals = 0;
  const config: ClientConfig = {
    origin: `http://127.0.0.1:${port}`,
    path: '/base',
    namespace: 'default',
    serverName: undefined,
    ca: undefined,
    insecure: false,
    proxy: undefined,
    certificate: undefined,
    credentials: async () => ({ authorization: () => `Bearer ${refusals}` }),
    refused: () => {
      refusals++;
      return true;
    },
  };
  const client = new RestClient(config, { world: testWorld, userAgent: 'test' });
  ends.push(() => client.close());
  const resource = new ResourceClient(client, { group: '', version: 'v1', resource: 'configmaps' }, 'n');
  return { client, resource, requests };
}

const json =
  (code: number, value: object, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
const failure = (code: number, reason: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message: reason,
});
const object = (name: string, resourceVersion: string): ApiObject => ({
  metadata: { namespace: 'n', name, resourceVersion },
});
const list = (version: string, ...items: ApiObject[]): Answer =>
  json(200, { metadata: { resourceVersion: version }, items });
/** A watch with these events. `then` ends it; it stays open by default. */
const events =
  (lines: readonly (readonly [string, object])[], then: (response: ServerResponse) => void = () => {}): Answer =>
  (_, response) => {
    response.writeHead(200);
    for (const [type, of] of lines) response.write(`${JSON.stringify({ type, object: of })}\n`);
    then(response);
  };
const end = (response: ServerResponse): void => void response.end();
const cut = (response: ServerResponse): void => void setImmediate(() => response.destroy());

describe('a client', () => {
  it('repeats a request when the server asks for that, and not otherwise', async () => {
    const again = json(429, failure(429, 'TooManyRequests'), { 'retry-after': '0' });
    const { resource, requests } = await serving(
      again,
      again,
      json(201, object('a', '1')),
      json(429, failure(429, 'TooManyRequests')),
    );
    expect(await resource.create({ metadata: { name: 'a' } })).toEqual(object('a', '1'));
    expect(requests).toEqual(Array(3).fill('POST /base/api/v1/namespaces/n/configmaps'));
    await expect(resource.create({})).rejects.toMatchObject({ status: { code: 429, reason: 'TooManyRequests' } });
    expect(requests).toHaveLength(4);
  });

  it('gives up after eleven attempts', async () => {
    const { resource, requests } = await serving(json(503, failure(503, 'ServiceUnavailable'), { 'retry-after': '0' }));
    await expect(resource.get('a')).rejects.toMatchObject({ status: { code: 503 } });
    expect(requests).toHaveLength(11);
  });

  it('sends a refused request once more with new credentials', async () => {
    const seen: unknown[] = [];
    const refuse: Answer = (request, response, query) => {
      seen.push(request.headers.authorization);
      json(401, failure(401, 'Unauthorized'))(request, response, query);
    };
    const { resource } = await serving(refuse);
    await expect(resource.get('a')).rejects.toMatchObject({ status: { code: 401 } });
    expect(seen).toEqual(['Bearer 0', 'Bearer 1']);
  });

  it('repeats a read of a broken connection, and no write', async () => {
    const broken: Answer = (request) => void request.socket.destroy();
    const { resource, requests } = await serving(broken, json(200, object('a', '1')), broken);
    expect(await resource.get('a')).toEqual(object('a', '1'));
    await expect(resource.update('a', {})).rejects.toThrow();
    expect(requests).toHaveLength(3);
  });

  it('escapes names and parameters', async () => {
    const { resource, requests } = await serving(json(200, object('a', '1')));
    await resource.patch('a b/status', 'merge', {}, { fieldManager: 'x&y', dryRun: undefined });
    expect(requests).toEqual(['PATCH /base/api/v1/namespaces/n/configmaps/a%20b/status?fieldManager=x%26y']);
  });
});

describe('an informer', () => {
  async function informed(options: InformerOptions, ...answers: Answer[]) {
    const { resource, requests } = await serving(...answers);
    const notes: string[] = [];
    const nameOf = ({ metadata }: ApiObject): string =>
      `${String(metadata['name'])}@${String(metadata['resourceVersion'])}`;
    const informer = new Informer(
      resource,
      {
        added: (o) => notes.push(`+${nameOf(o)}`),
        updated: (before, after) => notes.push(`${nameOf(before)}>${nameOf(after)}`),
        deleted: (o) => notes.push(`-${nameOf(o)}`),
        failed: (error) => notes.push(`! ${error.message}`),
      },
      options,
    ).start();
    ends.push(() => informer.stop());
    const until = async (what: () => boolean): Promise<void> => {
      for (let i = 0; i < 1000 && !what(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(what(), notes.join(' ')).toBe(true);
    };
    const versions = (): readonly string[] =>
      requests.map((request) => new URL(request.slice(4), 'http://h').searchParams.get('resourceVersion') ?? 'none');
    return { informer, notes, requests, until, versions };
  }
  const plain = { streaming: false };

  it('lists, watches, and continues after the end of a watch from the last version, also that of a bookmark', async () => {
    const { informer, notes, until, versions, requests } = await informed(
      plain,
      list('5', object('a', '3'), object('b', '4')),
      events(
        [
          ['MODIFIED', object('a', '6')],
          ['ADDED', object('c', '7')],
          ['BOOKMARK', object('', '9')],
        ],
        end,
      ),
      events([['DELETED', object('b', '10')]]),
    );
    await until(() => notes.length === 5);
    expect(notes).toEqual(['+a@3', '+b@4', 'a@3>a@6', '+c@7', '-b@10']);
    expect(versions()).toEqual(['0', '5', '9']);
    expect(requests[1]).toContain('allowWatchBookmarks=true');
    expect(informer.list().map(({ metadata }) => metadata['name'])).toEqual(['a', 'c']);
    expect(informer.get('n', 'c')).toEqual(object('c', '7'));
    expect(informer.isSynced).toBe(true);
  });

  it('lists again, consistently, when the version is gone, and reports only what differs', async () => {
    const { notes, until, versions } = await informed(
      plain,
      list('5', object('a', '3'), object('b', '4')),
      events([['ERROR', failure(410, 'Expired')]], end),
      list('20', object('b', '4'), object('a', '15'), object('c', '16')),
      json(410, failure(410, 'Expired')),
      list('30', object('c', '16')),
      events([]),
    );
    await until(() => notes.length === 6);
    expect(notes).toEqual(['+a@3', '+b@4', 'a@3>a@15', '+c@16', '-b@4', '-a@15']);
    await until(() => versions().length === 6);
    expect(versions()).toEqual(['0', '5', 'none', '20', 'none', '30']);
  });

  it('continues after a connection that broke, from the last event', async () => {
    const { notes, until, versions } = await informed(
      plain,
      list('5'),
      events([['ADDED', object('a', '6')]], cut),
      events([['ADDED', object('b', '8')]]),
    );
    await until(() => notes.includes('+b@8'));
    expect(notes.filter((note) => !note.startsWith('!'))).toEqual(['+a@6', '+b@8']);
    expect(versions()).toEqual(['0', '5', '6']);
  });

  it('takes the initial objects from a streaming list', async () => {
    const last = { metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } } };
    const { notes, until, requests, informer } = await informed(
      {},
      events([
        ['ADDED', object('a', '3')],
        ['BOOKMARK', last],
      ]),
      events([['MODIFIED', object('a', '6')]]),
    );
    await informer.synced();
    await until(() => notes.length === 2);
    expect(notes).toEqual(['+a@3', 'a@3>a@6']);
    expect(requests[0]).toContain('sendInitialEvents=true');
    expect(requests[0]).toContain('resourceVersionMatch=NotOlderThan');
    expect(requests[1]).toContain('resourceVersion=5');
  });

  it('asks for a plain list if the server refuses a streaming one', async () => {
    const { notes, until } = await informed(
      {},
      json(422, failure(422, 'Invalid')),
      list('5', object('a', '3')),
      events([]),
    );
    await until(() => notes.length === 1);
    expect(notes).toEqual(['+a@3']);
  });

  it('reads a list in chunks if the server sends it so', async () => {
    const { notes, until, requests } = await informed(
      plain,
      json(200, { metadata: { resourceVersion: '5', continue: 'more' }, items: [object('a', '3')] }),
      list('5', object('b', '4')),
      events([]),
    );
    await until(() => notes.length === 2);
    expect(requests[1]).toContain('continue=more');
  });

  it('stops in the middle of a watch', async () => {
    const { informer, until, requests } = await informed(plain, list('5'), events([]));
    await until(() => requests.length === 2);
    await informer.stop();
  });
});
