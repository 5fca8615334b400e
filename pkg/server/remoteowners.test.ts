import { expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import type { OutboundRequest, OutboundResponse } from '../outbound/index.js';
import { remoteOwners } from './remoteowners.js';
import type { RemoteServer } from './remoteserver.js';

/** Work never yields. */
const ENDLESS = { spent: () => false, yield: () => Promise.resolve() };

const API = 'demo.example.com/v1';
const NOT_FOUND = JSON.stringify({ kind: 'Status', reason: 'NotFound', code: 404 });

/** A server of things and of cluster-wide worlds, with one answer to all requests. */
function demoServer(status: number, body: string, more: Partial<RemoteServer> = {}) {
  const requests: OutboundRequest[] = [];
  const resource = (name: string, kind: string, scope: string): JsonObject => ({
    resource: name,
    responseKind: { group: 'demo.example.com', version: 'v1', kind },
    scope,
    verbs: ['get'],
  });
  const resources = [resource('things', 'Thing', 'Namespaced'), resource('worlds', 'World', 'Cluster')];
  const server: RemoteServer = {
    group: 'demo.example.com',
    version: 'v1',
    isAvailable: true,
    discovery: { document: { version: 'v1', resources }, isCurrent: true },
    pace: ENDLESS,
    async send(request): Promise<OutboundResponse> {
      requests.push(request);
      return { status, headers: {}, body: Buffer.from(body) };
    },
    ...more,
  };
  return { owners: remoteOwners(() => [server]), requests };
}

const reference = (kind: string, name = 'a') => ({ apiVersion: API, kind, name, uid: '1', blockOwnerDeletion: false });

it('reads an owner in the namespace of its dependent as the service account of the garbage collector', async () => {
  const { owners, requests } = demoServer(200, '{"metadata":{"uid":"1"}}');
  expect([owners.serves(API), owners.serves('demo.example.com/v2')]).toEqual([true, false]);
  expect(await owners.read(reference('Thing'), 'n')).toEqual({ metadata: { uid: '1' } });
  await owners.read(reference('World', 'a/b?c'), 'n');
  expect(requests.map(({ path }) => path)).toEqual([
    `/apis/${API}/namespaces/n/things/a`,
    `/apis/${API}/worlds/a%2Fb%3Fc`,
  ]);
  expect(requests[0]?.headers).toMatchObject({
    'x-remote-user': 'system:serviceaccount:kube-system:generic-garbage-collector',
    'x-remote-group': ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  });
});

it('takes only the answer NotFound for absence', async () => {
  expect(await demoServer(404, NOT_FOUND).owners.read(reference('Thing'), 'n')).toBeUndefined();
  for (const [status, body] of [
    [404, '404 page not found'],
    [404, '{}'],
    [403, NOT_FOUND],
    [500, ''],
  ] as const)
    await expect(demoServer(status, body).owners.read(reference('Thing'), 'n')).rejects.toThrow(/things\/a/);
});

it('asks no server that is not available, or for an object that it cannot have', async () => {
  for (const more of [{ isAvailable: false }, { discovery: undefined }])
    await expect(demoServer(404, NOT_FOUND, more).owners.read(reference('Thing'), 'n')).rejects.toThrow(
      /not available/,
    );
  const { owners, requests } = demoServer(200, '{}');
  expect(await owners.read(reference('Other'), 'n')).toBe('unserved');
  expect(await owners.read(reference('Thing'), '')).toBe('unserved');
  for (const name of ['.', '..']) expect(await owners.read(reference('Thing', name), 'n')).toBeUndefined();
  expect(requests).toEqual([]);
});

it('reads a large answer in steps, and refuses one that has too many values', async () => {
  let pauses = 0;
  const pace = { spent: () => true, yield: () => Promise.resolve(void pauses++) };
  const items = (n: number): string => JSON.stringify({ items: Array.from({ length: n }, () => [0]) });
  const read = (body: string) => demoServer(200, body, { pace }).owners.read(reference('Thing'), 'n');
  expect(await read(items(200_000))).toHaveProperty('items.length', 200_000);
  expect(pauses).toBeGreaterThan(20);
  await expect(read(items(1_100_000))).rejects.toThrow('the body has more than 1000000 values');
  await expect(read('[]')).rejects.toThrow('the response is not an object');
});
