import type { MessagePort } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { revision } from '../../base/index.js';
import type { AppliedEvent, Watch, WatchRequest, WatchSink } from '../../storage/index.js';
import { THREAD_LIMITS } from '../common/index.js';
import type { PeerKeyspace } from '../requests/index.js';
import { connectKeyspace, UNKNOWN_STATUS } from './connect.js';
import type { SlabMessage } from './protocol.js';
import { serveKeyspace } from './serve.js';

/** Two ports that hold their messages until `deliver` is called. */
function ports(): { readonly near: MessagePort; readonly far: MessagePort; deliver(): void } {
  const queue: (() => void)[] = [];
  const end = (): { readonly port: MessagePort; receive: (message: SlabMessage) => void } => {
    const made = { port: {} as MessagePort, receive: (_message: SlabMessage): void => {} };
    return made;
  };
  const [near, far] = [end(), end()];
  const join = (one: typeof near, other: typeof near): void => {
    Object.assign(one.port, {
      on: (_event: 'message', f: (message: SlabMessage) => void) => {
        one.receive = f;
      },
      postMessage: (message: SlabMessage) => queue.push(() => other.receive(message)),
    });
  };
  join(near, far);
  join(far, near);
  return { near: near.port, far: far.port, deliver: () => void queue.splice(0).forEach((f) => void f()) };
}

/** Timers whose callbacks run when `run` is called. */
function heldTimers() {
  const held: (() => void)[] = [];
  return {
    timers: { after: () => () => {}, every: () => () => {}, immediate: (f: () => void) => void held.push(f) },
    run: () => void held.splice(0).forEach((f) => void f()),
  };
}

function eventAt(n: number, bytes: number): AppliedEvent {
  const [at, key] = [revision(n), `/k${n}`];
  return {
    revision: at,
    changes: [{ kind: 'put', current: { key, createRevision: at, modRevision: at, value: Buffer.alloc(bytes) } }],
  };
}

it('a watch that is resumed in the turn in which it was paused has one successor, which cancel ends', () => {
  const runs: { readonly sink: WatchSink; readonly after: number; cancelled: boolean }[] = [];
  const soleCell = new Int32Array(new SharedArrayBuffer(4));
  const keyspace = {
    status: () => UNKNOWN_STATUS,
    watch: ({ after }: WatchRequest, sink: WatchSink): Watch => {
      const run = { sink, after, cancelled: false };
      runs.push(run);
      return {
        cancel: () => {
          run.cancelled = true;
        },
      };
    },
  } as unknown as PeerKeyspace;
  const { near, far, deliver } = ports();
  const [nearby, away] = [heldTimers(), heldTimers()];
  serveKeyspace(far, keyspace, {}, away.timers);
  const client = connectKeyspace(near, { status: UNKNOWN_STATUS, soleCell }, nearby.timers);
  const seen: number[] = [];
  const watch = client.watch(
    { start: '/', end: '0', after: revision(0), previous: false },
    { events: (batch) => void seen.push(...batch.map((e) => e.revision)), end: () => {} },
  );
  nearby.run();
  deliver();
  runs[0]!.sink.events([eventAt(1, THREAD_LIMITS.eventBytesMax * 0.7)]);
  away.run();
  deliver();
  // The acknowledgement of the first event is under way when the second one goes beyond the bound.
  nearby.run();
  runs[0]!.sink.events([eventAt(2, THREAD_LIMITS.eventBytesMax * 0.4)]);
  deliver();
  expect(runs.map(({ after }) => after)).toEqual([0, 2]);
  runs[0]!.sink.events([eventAt(3, 1)]);
  runs[1]!.sink.events([eventAt(3, 1)]);
  away.run();
  deliver();
  expect(seen).toEqual([1, 2, 3]);
  watch.cancel();
  nearby.run();
  deliver();
  expect(runs.map(({ cancelled }) => cancelled)).toEqual([true, true]);
});

it('handled events are acknowledged with the next message, and without one only when they are many', () => {
  const sinks: WatchSink[] = [];
  const keyspace = {
    status: () => UNKNOWN_STATUS,
    watch: (_request: WatchRequest, sink: WatchSink): Watch => {
      sinks.push(sink);
      return { cancel: () => {} };
    },
  } as unknown as PeerKeyspace;
  const { near, far, deliver } = ports();
  const [nearby, away] = [heldTimers(), heldTimers()];
  let messages = 0;
  const post = near.postMessage.bind(near);
  near.postMessage = (message: unknown) => {
    messages++;
    post(message);
  };
  serveKeyspace(far, keyspace, {}, away.timers);
  const soleCell = new Int32Array(new SharedArrayBuffer(4));
  const client = connectKeyspace(near, { status: UNKNOWN_STATUS, soleCell }, nearby.timers);
  const seen: number[] = [];
  const request = { start: '/', end: '0', after: revision(0), previous: false };
  client.watch(request, { events: (batch) => void seen.push(...batch.map((e) => e.revision)), end: () => {} });
  nearby.run();
  deliver();
  const deliverEvent = (n: number, bytes: number): void => {
    sinks[0]!.events([eventAt(n, bytes)]);
    away.run();
    deliver();
    nearby.run();
    deliver();
  };
  messages = 0;
  for (let n = 1; n <= 10; n++) deliverEvent(n, 100);
  expect(messages).toBe(0);
  deliverEvent(11, THREAD_LIMITS.creditBytes);
  expect(messages).toBe(1);
  // Together these are far more than may be unacknowledged. The watch is not paused, so all were acknowledged in time.
  for (let n = 12; n < 100; n++) deliverEvent(n, THREAD_LIMITS.eventBytesMax / 20);
  expect(sinks).toHaveLength(1);
  expect(seen).toHaveLength(99);
});
