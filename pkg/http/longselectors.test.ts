import { once } from 'node:events';
import { connect } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { requestSelectorSteps } from '../api/index.js';
import type { AuditRecord } from '../audit/index.js';
import { ANONYMOUS } from '../auth/index.js';
import { finish, Scheduler, Slice } from '../base/index.js';
import type { Call } from './call.js';
import { limits } from './limits.js';
import { LongSelectors } from './longselectors.js';
import { requestInfo } from './requestinfo.js';
import { TestDoor, until } from './testing/door.js';
import { ADMIN, testWorld } from './testing.js';

const CMS = '/api/v1/namespaces/n/configmaps';
const selector = (prefix: string): string => `a+in+(${Array.from({ length: 2_000 }, (_, i) => `${prefix}${i}`)})`;
const watchOf = (labels: string): string => `${CMS}?watch=1&labelSelector=${labels}`;

/** The bytes of a compiled selector of a request. */
const compiledBytes = (labels: string): number => finish(requestSelectorSteps(labels.replaceAll('+', ' '), '')).bytes;

const scheduler = new Scheduler(testWorld, 1000);
const callOf = (url: string, user = 'a'): Call =>
  ({
    exchange: { url, gone: false },
    info: requestInfo('GET', url),
    slice: new Slice(testWorld, scheduler, 1000),
    user: { name: user, groups: [] },
    heldSelectors: undefined,
    selectors: undefined,
  }) as unknown as Call;

describe('long selectors', () => {
  it('are read one after the other, each in a turn of its own', async () => {
    const turns: (() => void)[] = [];
    const reader = new LongSelectors(
      { yield: () => new Promise<void>((resolve) => turns.push(resolve)) } as Scheduler,
      limits.longSelectorsBytesMax,
    );
    const calls = ['x', 'y', 'y'].map((prefix) => callOf(watchOf(selector(prefix))));
    const readings = calls.map((call) => reader.read(call));
    for (const [i, call] of calls.entries()) {
      await Promise.all(readings.slice(0, i));
      await Promise.resolve();
      expect([turns.length, call.selectors]).toEqual([i + 1, undefined]);
      turns[i]!();
      await readings[i];
      const { selectors } = call;
      expect(['x1999', 'y1999'].map((a) => selectors!.matches!({ a }))).toEqual([i === 0, i > 0]);
    }
    expect(calls[2]!.selectors).toBe(calls[1]!.selectors);
  });

  it('count until their request ends; beyond the limit requests are refused, and short ones are not read', async () => {
    const url = watchOf(selector('x'));
    const reader = new LongSelectors(scheduler, 3 * url.length);
    const first = callOf(url);
    await reader.read(first);
    expect(reader.bytes).toBeGreaterThan(url.length + 10_000);
    const second = callOf(url);
    expect(() => reader.read(second)).toThrow('too many long selectors');
    expect(reader.read(callOf(watchOf('a')))).toBeUndefined();
    first.heldSelectors!.release();
    expect(reader.bytes).toBe(0);
    await reader.read(second);
    expect(second.selectors?.matches?.({ a: 'x1' })).toBe(true);
  });

  it('of one user count against a limit of the user, and others are served', async () => {
    const url = watchOf(selector('x'));
    const held = url.length + compiledBytes(selector('x'));
    const reader = new LongSelectors(scheduler, 10 * held, 2 * held);
    const calls = [callOf(url), callOf(url)];
    for (const call of calls) await reader.read(call);
    expect(() => reader.read(callOf(url))).toThrow('too many long selectors');
    await reader.read(callOf(url, 'b'));
    calls[0]!.heldSelectors!.releaseUrl();
    expect(reader.bytes).toBe(3 * held - url.length);
    await expect(reader.read(callOf(url))).rejects.toThrow('too many long selectors');
    for (const call of calls) call.heldSelectors!.release();
    expect(reader.bytes).toBe(held + url.length);
  });

  it('of one user count after a watch that had a long URL and no selector has ended', async () => {
    const url = watchOf(selector('x'));
    const held = url.length + compiledBytes(selector('x'));
    const reader = new LongSelectors(scheduler, 10 * held, held);
    const empty = callOf(`${CMS}?watch=1&pretty=${'x'.repeat(2_000)}`);
    await reader.read(empty);
    empty.heldSelectors!.releaseUrl();
    empty.heldSelectors!.release();
    expect(reader.bytes).toBe(0);
    await reader.read(callOf(url));
    expect(() => reader.read(callOf(url))).toThrow('too many long selectors');
  });

  it('that cannot be parsed are errors, and do not stop those behind them', async () => {
    const reader = new LongSelectors(scheduler, limits.longSelectorsBytesMax);
    const wrong = callOf(watchOf(`${selector('x')}(`));
    const right = callOf(watchOf(selector('x')));
    await Promise.all([reader.read(wrong), reader.read(right)]);
    expect(wrong.selectors).toMatchObject({ labels: { name: 'SelectorError' }, matches: undefined });
    expect(right.selectors?.matches?.({ a: 'x1' })).toBe(true);
  });
});

describe('a watch with a long selector', () => {
  const begin = async (door: TestDoor): Promise<{ readonly socket: TLSSocket; readonly head: string }> => {
    const socket = await door.dial();
    const head = until(socket, (text) => text.includes('\r\n\r\n'));
    socket.write(`GET ${watchOf(selector('x'))} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return { socket, head: await head };
  };

  it.each([
    ['selectors', ADMIN],
    ['anonymousSelectors', ANONYMOUS],
  ] as const)('takes of the limit %s and returns it at its end', async (stage, user) => {
    const allowed = { authorize: () => ({ kind: 'allow', reason: '' }) as const };
    const tight = new LongSelectors(new Scheduler(testWorld, 1000), 30_000);
    const stages = { authorizer: allowed, [stage]: tight };
    const door = await TestDoor.open(testWorld, { user: () => user, stages });
    const first = await begin(door);
    expect(first.head).toMatch(/^HTTP\/1\.1 200 /);
    // The selector counts; the URL does not any more.
    expect(tight.bytes).toBe(compiledBytes(selector('x')));
    const second = await begin(door);
    expect(second.head.toLowerCase()).toMatch(/^http\/1\.1 429 [\s\S]*retry-after: 1\r\n/);
    second.socket.destroy();
    first.socket.destroy();
    await door.listener.drain(1000);
    expect(tight.bytes).toBe(0);
  });

  it('takes of the limit for its URL, too, if it is audited: the record has the URL', async () => {
    const selectors = new LongSelectors(new Scheduler(testWorld, 1000), limits.longSelectorsBytesMax);
    const audit = {
      requestReceived: (call: Call) => {
        call.audit = { wantsRequest: false } as AuditRecord;
        return undefined;
      },
      responseComplete: () => undefined,
    };
    const door = await TestDoor.open(testWorld, { user: () => ADMIN, stages: { selectors, audit } });
    const { socket } = await begin(door);
    expect(selectors.bytes).toBe(watchOf(selector('x')).length + compiledBytes(selector('x')));
    socket.destroy();
    await door.listener.drain(1000);
    expect(selectors.bytes).toBe(0);
  });
});

describe('a watch that has begun', () => {
  const junk = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x-junk-${i}`, 'j'.repeat(1000)]));
  const opened = async (begin: (door: TestDoor) => Promise<() => void>): Promise<void> => {
    const calls: Call[] = [];
    const audit = {
      requestReceived: (call: Call) => {
        expect([call.lines('x-junk-7').length, call.userAgent, call.info.query.has('watch')]).toEqual([1, 'u', true]);
        calls.push(call);
        return undefined;
      },
      responseComplete: () => undefined,
    };
    const door = await TestDoor.open(testWorld, { user: () => ADMIN, stages: { audit } });
    const end = await begin(door);
    const [call] = calls;
    expect(calls).toHaveLength(1);
    const { exchange, info, selectors, userAgent } = call!;
    expect([exchange.url, exchange.headers, call!.lines('x-junk-7'), userAgent]).toEqual(['', {}, [], '']);
    expect([selectors, info.query.empty, info.query.has('watch'), info.path]).toEqual([undefined, true, false, CMS]);
    end();
    await door.listener.drain(1000);
  };

  it('keeps nothing of the text of its request: HTTP/1.1', () =>
    opened(async (door) => {
      const socket = await door.dial();
      const head = until(socket, (text) => text.includes('\r\n\r\n'));
      const lines = Object.entries({ host: 'x', 'user-agent': 'u', ...junk }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      socket.write(`GET ${watchOf(selector('x'))} HTTP/1.1\r\n${lines.join('')}\r\n`);
      expect(await head).toMatch(/^HTTP\/1\.1 200 /);
      return () => socket.destroy();
    }));

  it('keeps nothing of the text of its request: HTTP/2', () =>
    opened(async (door) => {
      const session = connect(`https://127.0.0.1:${door.listener.port}`, { ca: door.ca });
      const stream = session.request({ ':path': watchOf(selector('x')), 'user-agent': 'u', ...junk });
      const [head] = await once(stream, 'response');
      expect(head[':status']).toBe(200);
      return () => session.destroy();
    }));
});
