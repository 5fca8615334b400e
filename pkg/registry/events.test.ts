import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { Bench, drain, refusal } from './testing.js';

const NEW_EVENTS = 'events.events.k8s.io/v1';

const event = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, ...more },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  reason: 'Started',
  type: 'Normal',
});

const newEvent = (name: string): JsonObject => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name },
  eventTime: '2030-01-01T00:00:00.000000Z',
  action: 'Start',
  reason: 'Started',
  type: 'Normal',
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
});

const open = (eventSeconds: number): Promise<Bench> => Bench.open([], undefined, { eventSeconds });

async function pass(b: Bench, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    b.world.advance(1000);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

it('the owners of fields of an event in the other group are forgotten by a write, as in kube-apiserver', async () => {
  const b = await open(20);
  const [at, by] = [['default', 'a'], (fieldManager: string) => ({ fieldManager })] as const;
  await b.patch(NEW_EVENTS, at, newEvent('a'), 'apply', by('a'));
  const { involvedObject: _, ...applied } = event('a', { namespace: 'default' });
  const patched = await b.patch('events', at, { ...applied, reason: 'Other' }, 'apply', by('b'));
  const owners = (patched['metadata'] as JsonObject)['managedFields'] as readonly JsonObject[];
  expect(owners.map((o) => [o['manager'], o['apiVersion']])).toEqual([['b', 'v1']]);
});

const names = async (b: Bench): Promise<readonly unknown[]> =>
  (await b.list('events', '')).items.map((o) => (o['metadata'] as JsonObject)['name']);

describe('events', () => {
  it('expire the given time after they were created, in both groups, as deletions for watchers', async () => {
    const b = await open(20);
    const first = await b.create('events', 'default', event('a'));
    await b.create(NEW_EVENTS, 'default', newEvent('b'));
    const at = String((first['metadata'] as JsonObject)['resourceVersion']);
    const watch = await b.watch('events', 'default', { resourceVersion: at });
    const watchNew = await b.watch(NEW_EVENTS, 'default', { resourceVersion: at });
    await pass(b, 15);
    expect(await names(b)).toEqual(['a', 'b']);
    await pass(b, 7);
    expect(await names(b)).toEqual([]);
    expect(await refusal(b.get('events', 'default', 'a'))).toMatch(/^404/);
    for (const stream of [watch, watchNew]) {
      const seen = drain(stream).map(({ type, object }) => `${type} ${(object['metadata'] as JsonObject)['name']}`);
      expect(seen).toEqual(['ADDED b', 'DELETED a', 'DELETED b']);
      stream.close();
    }
  });

  it('are renewed by a write, but not by one that changes nothing', async () => {
    const b = await open(20);
    await b.create('events', 'default', event('updated'));
    await b.create('events', 'default', event('patched'));
    await b.create('events', 'default', event('same'));
    await pass(b, 15);
    await b.update('events', 'default', { ...event('updated'), count: 2 });
    await b.patch('events', ['default', 'patched'], { count: 2 });
    await b.patch('events', ['default', 'same'], { type: 'Normal' });
    await pass(b, 7);
    expect(await names(b)).toEqual(['patched', 'updated']);
    await pass(b, 15);
    expect(await names(b)).toEqual([]);
  });

  it('expire without admission and in spite of finalizers', async () => {
    const operations: string[] = [];
    const note = { name: 'Note', validate: async (r: { operation: string }) => void operations.push(r.operation) };
    const b = await Bench.open([], () => [note], { eventSeconds: 20 });
    operations.length = 0;
    await b.create('events', 'default', event('kept', { finalizers: ['example.com/f'] }));
    await pass(b, 22);
    expect(await names(b)).toEqual([]);
    expect(operations).toEqual(['create']);
  });

  it('expire at the same time after a restart', async () => {
    const b = await open(20);
    await b.create('events', 'default', event('a'));
    await pass(b, 15);
    const again = await b.reopen();
    expect(await names(again)).toEqual(['a']);
    await pass(again, 7);
    expect(await names(again)).toEqual([]);
  });

  it('expire all when many are due, and an idle store is not written', async () => {
    const b = await open(20);
    for (let i = 0; i < 300; i++) await b.create('events', 'default', event(`e${i}`));
    await pass(b, 30);
    expect(await names(b)).toEqual([]);
    const { applied } = b.keyspace.status();
    await pass(b, 60);
    expect(b.keyspace.status().applied).toBe(applied);
  });

  it('are kept with a time of 0, and other kinds always', async () => {
    const b = await open(0);
    await b.create('events', 'default', event('a'));
    const c = await open(20);
    await c.create('configmaps', 'default', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    await pass(b, 7200);
    await pass(c, 100);
    expect(await names(b)).toEqual(['a']);
    expect(await refusal(c.get('configmaps', 'default', 'a'))).toBe('taken');
  });
});
