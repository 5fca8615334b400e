import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accessOf } from '../../pkg/client/index.js';
import { Cluster } from '../chaos/cluster.js';
import { Client, type WatchLines } from './client.js';
import { isBuilt, ServerProcess } from './process.js';

if (!isBuilt) console.warn('tests of the expiry of events skipped: dist/ is missing (npm run build)');

const EVENTS = '/api/v1/namespaces/default/events';
const WATCH = '/apis/events.k8s.io/v1/namespaces/default/events?watch=true&resourceVersion=0';

const event = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
});

const typesOf = (watch: WatchLines, name: string): readonly string[] =>
  watch.events.filter((e) => e.object.metadata.name === name).map((e) => e.type);

describe.skipIf(!isBuilt)('events with --event-ttl', () => {
  it('expire in a process that was started again', async () => {
    const data = mkdtempSync(join(tmpdir(), 'trireme-data-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    let server = await ServerProcess.start(data, 0, ['--event-ttl=2s']);
    let client = new Client({ ...accessOf(server.kubeconfig), url: server.url });
    expect((await client.ask(EVENTS, { body: event('before') })).status).toBe(201);
    client.close();
    await server.kill();
    // The time of an event is the one of its write: a new value of the flag applies to new events.
    server = await ServerProcess.start(data, 0, ['--event-ttl=0']);
    onTestFinished(() => void server.stop());
    client = new Client({ ...accessOf(server.kubeconfig), url: server.url });
    onTestFinished(() => client.close());
    expect((await client.ask(EVENTS, { body: event('kept') })).status).toBe(201);
    const end = performance.now() + 60_000;
    while ((await client.ask(`${EVENTS}/before`)).status !== 404) {
      if (performance.now() > end) throw new Error('the event did not expire');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect((await client.ask(`${EVENTS}/kept`)).status).toBe(200);
  });

  it('expire through the next leader, as deletions for watchers', async () => {
    const cluster = await Cluster.start({ args: ['--event-ttl=5s'] });
    onTestFinished(() => cluster.close());
    const leader = await cluster.leader();
    const [survivor = ''] = cluster.names.filter((name) => name !== leader);
    const client = new Client({ ...cluster.access, url: cluster.url(survivor) });
    onTestFinished(() => client.close());
    const watch = client.watch(WATCH);
    onTestFinished(() => watch.close());
    expect((await client.ask(EVENTS, { body: event('a') })).status).toBe(201);
    await cluster.kill(leader);
    await watch.until((w) => typesOf(w, 'a').includes('DELETED'));
    expect(typesOf(watch, 'a')).toEqual(['ADDED', 'DELETED']);
    expect((await client.ask(`${EVENTS}/a`)).status).toBe(404);
  });
});
