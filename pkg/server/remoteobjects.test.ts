import { describe, expect, it, onTestFinished } from 'vitest';
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from '../api/index.js';
import { garbageCollector } from '../controllers/index.js';
import type { OutboundRequest } from '../outbound/index.js';
import { Bench } from '../registry/testing.js';
import { clusterOf } from './cluster.js';
import { remoteObjects } from './remoteobjects.js';
import { remoteOwners } from './remoteowners.js';
import type { RemoteServer } from './remoteserver.js';

/** Work never yields. */
const ENDLESS = { spent: () => false, yield: () => Promise.resolve() };

const GROUP = 'demo.example.com';
const TIME = '2026-01-01T00:00:00Z';
const VERBS = ['delete', 'get', 'list', 'patch', 'watch'];

/** A server that keeps things in the namespace default, two in each page of a list. */
class ThingServer implements RemoteServer {
  readonly group: string;
  readonly version = 'v1';
  readonly pace = ENDLESS;
  isAvailable = true;
  /** It accepts requests and does not answer. */
  isStuck = false;
  readonly things = new Map<string, JsonObject>();
  readonly requests: OutboundRequest[] = [];
  discovery: RemoteServer['discovery'];
  #version = 0;

  constructor(group = GROUP, verbs: readonly string[] = VERBS) {
    this.group = group;
    const responseKind = { group, version: 'v1', kind: 'Thing' };
    const resources = [{ resource: 'things', scope: 'Namespaced', responseKind, verbs: [...verbs] }];
    this.discovery = { document: { version: 'v1', resources }, isCurrent: true };
  }

  add(name: string, more: JsonObject): void {
    const resourceVersion = String(++this.#version);
    this.things.set(name, { metadata: { namespace: 'default', name, uid: `uid-${name}`, ...more, resourceVersion } });
  }

  async send(request: OutboundRequest) {
    this.requests.push(request);
    if (this.isStuck) return new Promise<never>(() => {});
    const [status, answer] = this.#answer(request);
    return { status, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
  }

  #answer({ method, path, body }: OutboundRequest): [number, JsonObject] {
    const url = new URL(path, 'https://server');
    if (url.pathname === `/apis/${this.group}/v1/things`) {
      const from = Number(url.searchParams.get('continue') ?? 0);
      const items = [...this.things.values()].slice(from, from + 2);
      const next = from + 2 < this.things.size ? String(from + 2) : '';
      return [200, { metadata: { continue: next }, items }];
    }
    const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
    const thing = this.things.get(name);
    if (thing === undefined) return [404, { kind: 'Status', reason: 'NotFound' }];
    if (method === 'GET') return [200, thing];
    const given = JSON.parse(String(body)) as JsonObject;
    const expected = isObject(given['preconditions']) ? given['preconditions'] : objectAt(given, 'metadata');
    const { uid, resourceVersion } = objectAt(thing, 'metadata');
    if (expected['uid'] !== uid || expected['resourceVersion'] !== resourceVersion) return [409, { kind: 'Status' }];
    const isHeld = objectAt(thing, 'metadata')['finalizers'] !== undefined;
    if (method === 'DELETE' && isHeld) this.add(name, { ...objectAt(thing, 'metadata'), deletionTimestamp: TIME });
    else if (method === 'DELETE') this.things.delete(name);
    else {
      const { ownerReferences, finalizers, ...rest } = {
        ...objectAt(thing, 'metadata'),
        ...objectAt(given, 'metadata'),
      };
      if (rest['deletionTimestamp'] !== undefined && finalizers === null) this.things.delete(name);
      else
        this.add(name, { ...(ownerReferences === null ? {} : { ownerReferences }), ...(finalizers && { finalizers }) });
    }
    return [200, {}];
  }
}

async function scene(...servers: readonly RemoteServer[]) {
  const bench = await Bench.open();
  const { world, registry } = bench;
  const context = { world, cluster: clusterOf(registry, world), log: () => {} };
  const collector = garbageCollector(
    context,
    remoteOwners(() => servers),
    remoteObjects(() => servers),
  );
  await collector.start();
  onTestFinished(() => collector.stop());
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      world.advance(1000);
      for (let i = 0; i < 40; i++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const owner = async (name: string): Promise<JsonObject> => {
    const made = await bench.create('configmaps', 'default', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
    });
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid: textAt(made, 'metadata', 'uid'),
      blockOwnerDeletion: true,
    };
  };
  const names = async (): Promise<string[]> =>
    (await bench.list('configmaps', 'default')).items.map((o) => textAt(o, 'metadata', 'name'));
  return { bench, pass, owner, names };
}

describe('the garbage collector, for dependents at aggregated servers', () => {
  it('deletes those whose owners are gone, and takes references away from those that another keeps', async () => {
    const server = new ThingServer();
    const { bench, pass, owner } = await scene(server);
    const [a, b] = [await owner('a'), await owner('b')];
    server.add('free', {});
    server.add('first', { ownerReferences: [a] });
    server.add('both', { ownerReferences: [a, b] });
    server.add('never', { ownerReferences: [{ ...b, uid: 'another' }] });
    await pass(60);
    expect([...server.things.keys()]).toEqual(['free', 'first', 'both']);
    await bench.delete('configmaps', 'default', 'a');
    await pass(5);
    expect([...server.things.keys()]).toEqual(['free', 'both']);
    expect(objectsAt(server.things.get('both')!, 'metadata', 'ownerReferences')).toEqual([b]);
    for (const { headers } of server.requests)
      expect(headers?.['x-remote-user']).toBe('system:serviceaccount:kube-system:generic-garbage-collector');
  });

  it('deletes an owner in the foreground after them', async () => {
    const server = new ThingServer();
    const { bench, pass, owner, names } = await scene(server);
    server.add('first', { ownerReferences: [await owner('a')], finalizers: ['example.com/held'] });
    await pass(60);
    await bench.delete('configmaps', 'default', 'a', { propagationPolicy: 'Foreground' });
    await pass(60);
    expect(textAt(server.things.get('first')!, 'metadata', 'deletionTimestamp')).toBe(TIME);
    expect(await names()).toEqual(['a']);
    server.things.delete('first');
    await pass(20);
    expect(await names()).toEqual([]);
  });

  it('leaves them without references when an owner is deleted with the policy Orphan', async () => {
    const server = new ThingServer();
    const { bench, pass, owner, names } = await scene(server);
    server.add('first', { ownerReferences: [await owner('a')] });
    await pass(60);
    await bench.delete('configmaps', 'default', 'a', { propagationPolicy: 'Orphan' });
    await pass(60);
    expect([await names(), objectsAt(server.things.get('first')!, 'metadata', 'ownerReferences')]).toEqual([[], []]);
  });

  it('completes foreground deletions of owners there', async () => {
    const server = new ThingServer();
    const { bench, pass, names } = await scene(server);
    const deleting = { deletionTimestamp: TIME, finalizers: ['foregroundDeletion'] };
    server.add('a', deleting);
    const reference = { apiVersion: `${GROUP}/v1`, kind: 'Thing', name: 'a', uid: 'uid-a', blockOwnerDeletion: true };
    const metadata = { name: 'dependent', ownerReferences: [reference] };
    await bench.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await pass(60);
    expect([await names(), [...server.things.keys()]]).toEqual([[], []]);
  });

  it('continues for others while a server does not answer', async () => {
    const [stuck, server] = [new ThingServer('stuck.example.com'), new ThingServer()];
    const { bench, pass, owner, names } = await scene(stuck, server);
    const orphaning = Array.from({ length: 10 }, (_, i) => `orphaning${i}`);
    for (const name of orphaning) stuck.add(name, { ownerReferences: [await owner(name)] });
    const a = await owner('a');
    for (let i = 0; i < 10; i++) stuck.add(`thing${i}`, { ownerReferences: [a] });
    server.add('first', { ownerReferences: [a] });
    const metadata = { name: 'dependent', ownerReferences: [a] };
    await bench.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await pass(60);
    stuck.isStuck = true;
    for (const name of orphaning) await bench.delete('configmaps', 'default', name, { propagationPolicy: 'Orphan' });
    await bench.delete('configmaps', 'default', 'a');
    await pass(60);
    expect([await names(), [...server.things.keys()]]).toEqual([orphaning, []]);
    expect(stuck.requests.filter(({ method, path }) => method === 'GET' && path.includes('orphaning'))).not.toEqual([]);
  });

  it('deletes nothing that a server does not allow it to watch', async () => {
    const server = new ThingServer(GROUP, ['delete', 'get', 'list']);
    const { pass, owner } = await scene(server);
    server.add('first', { ownerReferences: [{ ...(await owner('a')), uid: 'another' }] });
    await pass(60);
    expect([server.requests.length, server.things.size]).toEqual([0, 1]);
  });
});
