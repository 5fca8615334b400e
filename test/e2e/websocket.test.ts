import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

let server: TestApiServer;
let client: Client;
beforeAll(async () => {
  // Controllers are off, so that two watches start with the same objects.
  server = await startApiServer({ featureGates: { CBORServingAndStorage: true }, controllers: [] });
  client = new Client(server);
});
afterAll(async () => {
  client?.close();
  await server?.close();
});

const CMS = '/api/v1/namespaces/default/configmaps';

interface Heard {
  readonly messages: readonly { readonly data: Buffer; readonly binary: boolean }[];
  readonly code: number;
}

/** Returns the messages of a watch over WebSocket until it is closed. */
function hear(path: string, options: { readonly accept?: string; readonly anonymous?: boolean } = {}): Promise<Heard> {
  const { ca, cert, key } = server;
  const ws = new WebSocket(`${server.url.replace('https', 'wss')}${path}`, [], {
    ca,
    ...(options.anonymous === true ? {} : { cert, key }),
    headers: options.accept === undefined ? {} : { accept: options.accept },
  });
  const messages: { data: Buffer; binary: boolean }[] = [];
  ws.on('message', (data: Buffer, binary: boolean) => messages.push({ data, binary }));
  return new Promise((resolve, reject) => {
    ws.on('close', (code: number) => resolve({ messages, code }));
    ws.on('error', reject);
    ws.on('unexpected-response', (_request: unknown, response: IncomingMessage) => {
      ws.terminate();
      reject(new Error(`status ${response.statusCode}`));
    });
  });
}

const FORMS = [
  { accept: 'application/json', binary: false },
  { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1', binary: false },
  { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', query: '&labelSelector=a', binary: false },
  // Only over HTTP does each event have a length prefix.
  { accept: 'application/vnd.kubernetes.protobuf;stream=watch', binary: true, lengthBytes: 4 },
  { accept: 'application/cbor-seq,application/cbor', binary: true },
] as const;

it('sends the same events over WebSocket as over HTTP, one in each message', async () => {
  for (const name of ['w1', 'w2'])
    await client.ask(CMS, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { a: 'b' } } } });
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
  const both = await Promise.all(
    FORMS.map(async (form) => {
      const path = `${CMS}?watch=true&${initial}${'query' in form ? form.query : ''}`;
      const plain = client.ask(path, { headers: { accept: form.accept } });
      return { form, heard: await hear(path, { accept: form.accept }), plain: await plain };
    }),
  );
  for (const { form, heard, plain } of both) {
    expect([form.accept, heard.code]).toEqual([form.accept, 1000]);
    expect(new Set(heard.messages.map((m) => m.binary))).toEqual(new Set([form.binary]));
    const lengthBytes = 'lengthBytes' in form ? form.lengthBytes : 0;
    const framed = heard.messages.map(({ data }) => {
      const head = Buffer.alloc(lengthBytes);
      if (lengthBytes > 0) head.writeUInt32BE(data.length);
      return Buffer.concat([head, data]);
    });
    // The objects come first and are the same in both. The bookmarks behind them carry the revision of their moment,
    // which the server's own writes move on.
    const objects = framed.findIndex((message) => message.includes('BOOKMARK'));
    expect([form.accept, objects >= 2]).toEqual([form.accept, true]);
    expect(ageless(plain.body)).toContain('BOOKMARK');
    expect(ageless(plain.body).startsWith(ageless(Buffer.concat(framed.slice(0, objects))))).toBe(true);
  }
});

/** Removes the age from a row, because it changes every second. */
const ageless = (b: Buffer): string => b.toString('latin1').replace(/"\d+s"/g, '"age"');

it('rejects the same requests as over HTTP, before the watch starts', async () => {
  await expect(hear(`${CMS}?watch=1`, { anonymous: true })).rejects.toThrow('status 403');
  await expect(hear('/api/v1/namespaces/default/nothings?watch=1')).rejects.toThrow('status 404');
  await expect(hear(`${CMS}?watch=1&resourceVersion=x`)).rejects.toThrow('status 400');
  await expect(hear(`${CMS}?watch=1`, { accept: 'application/yaml' })).rejects.toThrow('status 406');
  // A request that is not a watch gets an ordinary response without an upgrade.
  await expect(hear(CMS)).rejects.toThrow('status 200');
});
