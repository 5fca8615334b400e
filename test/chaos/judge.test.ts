import { describe, expect, it } from 'vitest';
import { History, type WatchEvent } from './history.js';
import { judge, missedEvents, revisionsGoBack, runFaults } from './judge.js';

const put = (revision: number, key = 'k', value = `v${revision}`): WatchEvent => ({
  kind: 'put',
  key,
  value,
  revision,
});
const bookmark = (revision: number): WatchEvent => ({ kind: 'bookmark', key: '', value: '', revision });
const run = (by: string, from: number, ...events: WatchEvent[]) => ({ by, from, events });

describe('the revision check', () => {
  const seen = (called: number, returned: number, revision: number) => ({ by: 'r', called, returned, revision });

  it('accepts concurrent reads with different revisions', () => {
    expect(revisionsGoBack({ revisions: [seen(0, 10, 9), seen(5, 6, 7)] })).toEqual([]);
  });

  it('detects a read older than one that ended before it', () => {
    expect(revisionsGoBack({ revisions: [seen(0, 4, 9), seen(5, 6, 8)] }).length).toBe(1);
  });
});

describe('the watch check', () => {
  it('accepts events in order', () => {
    expect(runFaults(run('a', 3, put(4), bookmark(6), put(7), bookmark(7)))).toEqual([]);
  });

  it.each([
    ['an event twice', [put(4), put(4)]],
    ['events out of order', [put(5), put(4)]],
    ['an event from before the start', [put(3)]],
    ['a bookmark ahead of the stream', [bookmark(6), put(5)]],
    ['a bookmark that goes back', [put(6), bookmark(5)]],
  ])('finds %s', (_what, events) => {
    expect(runFaults(run('a', 3, ...events)).length).toBe(1);
  });

  it('detects an event that one watcher lacks', () => {
    const history = new History();
    history.watches.push(run('a', 0, put(1), put(2), put(3)), run('b', 1, put(3)), run('c', 2, put(3)));
    expect(missedEvents(history, 3)).toEqual(['watcher b (from 1) missed revision 2: k=v2; near it: 3 k=v3']);
  });

  it('requires no events of a watcher before its 410', () => {
    const history = new History();
    history.watches.push(run('a', 0, put(1), put(2)), { ...run('b', 0, put(1)), to: 1 });
    expect(missedEvents(history, 2)).toEqual([]);
  });

  it('detects an acknowledged write that no watcher received', () => {
    const history = new History();
    history.watches.push(run('a', 0, put(1)));
    history.add('k', {
      by: 'w',
      input: { kind: 'create', value: 'x' },
      output: { kind: 'ok', value: 'x', version: '2' },
      called: 0,
      returned: 1,
    });
    expect(missedEvents(history, 2)).toEqual(['watcher a (from 0) missed revision 2: k=x; near it: 1 k=v1']);
  });

  it('detects two different events of one revision', () => {
    const history = new History();
    history.watches.push(run('a', 0, put(1, 'k', 'x')), run('b', 0, put(1, 'k', 'y')));
    expect(missedEvents(history, 1)).toEqual(['revision 1: k=x, but watcher b has k=y']);
  });
});

describe('the whole check', () => {
  it('detects an acknowledged write that a later read does not return', () => {
    const history = new History();
    const ok = { kind: 'ok', value: 'x', version: '2' } as const;
    history.add('k', { by: 'w', input: { kind: 'create', value: 'x' }, output: ok, called: 0, returned: 1 });
    history.add('k', { by: 'r', input: { kind: 'get' }, output: { kind: 'notFound' }, called: 2, returned: 3 });
    expect(judge(history, 0).violations.length).toBe(1);
  });
});
