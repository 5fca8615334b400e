import { expect, it } from 'vitest';
import type { Timers } from '../base/index.js';
import { Scheduler } from '../base/index.js';
import type { Frames } from '../registry/index.js';
import { Delivery } from './delivery.js';
import type { AnswerStream, Exchange } from './exchange.js';
import { limits } from './limits.js';
import { TestStream, testWorld } from './testing.js';
import { Watches } from './watches.js';

/** Timers controlled by the test. */
class HandTimers implements Timers {
  #now = 0;
  #due: { readonly at: number; readonly f: () => void }[] = [];

  after(milliseconds: number, f: () => void): () => void {
    const timer = { at: this.#now + milliseconds, f };
    this.#due.push(timer);
    return () => {
      this.#due = this.#due.filter((t) => t !== timer);
    };
  }

  every(): () => void {
    return () => {};
  }

  immediate(f: () => void): void {
    setImmediate(f);
  }

  pass(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (;;) {
      const [next] = this.#due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = next.at;
      this.#due = this.#due.filter((other) => other !== next);
      next.f();
    }
    this.#now = until;
  }
}

/** A connection that accepts `room` writes until it drains. */
class TestConnection {
  readonly written: string[] = [];
  room = 1;
  ended = false;
  aborted = false;
  #onDrain: () => void = () => {};
  #onClose: () => void = () => {};
  readonly answer: AnswerStream = {
    write: (bytes) => {
      this.written.push(bytes.toString());
      return --this.room > 0;
    },
    onDrain: (f) => {
      this.#onDrain = f;
    },
    end: () => {
      this.ended = true;
    },
  };
  readonly exchange = {
    gone: false,
    onClose: (f: () => void) => {
      this.#onClose = f;
    },
    abort: () => {
      this.aborted = true;
    },
  } as unknown as Exchange;

  drain(): void {
    this.room = 1;
    this.#onDrain();
  }

  close(): void {
    this.#onClose();
  }
}

function deliver(unwritable = false, watches = new Watches(), { lasts = 10 * limits.stalledTime, first = '' } = {}) {
  const timers = new HandTimers();
  const connection = new TestConnection();
  const stream = new TestStream();
  if (first !== '') stream.push(first);
  const { exchange, answer } = connection;
  const written: Frames[] = [];
  const delivery = new Delivery({
    exchange,
    answer,
    stream,
    timers,
    scheduler: new Scheduler(testWorld, Number.POSITIVE_INFINITY),
    lasts,
    unwritable,
    watches,
    caughtUp: () => {},
    written: (frames) => written.push(frames),
  });
  return { timers, connection, stream, watches, delivery, written };
}

/** Runs callbacks deferred to later turns of the event loop. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

it('reads from the stream only what the connection can take', async () => {
  const { connection, stream, written } = deliver();
  stream.push('a');
  await settled();
  stream.push('b');
  stream.push('c');
  await settled();
  expect(connection.written).toEqual(['a']);
  connection.drain();
  await settled();
  expect(connection.written).toEqual(['a', 'bc']);
  expect(written.map((f) => f.events)).toEqual([1, 2]);
});

it('writes nothing if the watch has ended before it began', async () => {
  const { connection, stream, watches, delivery } = deliver(false, new Watches(), { lasts: 0, first: 'a' });
  await delivery.done;
  expect([connection.written, connection.aborted, stream.closed, watches.size]).toEqual([[], false, true, 0]);
});

it('disconnects a client that reads nothing for too long while events are pending', async () => {
  const { timers, connection, stream, watches, delivery } = deliver();
  stream.push('a');
  await settled();
  timers.pass(limits.stalledTime - 1);
  expect(connection.aborted).toBe(false);
  timers.pass(1);
  await delivery.done;
  expect([connection.aborted, stream.closed, watches.size]).toEqual([true, true, 0]);
});

it('makes a bookmark due once, shortly before it ends', async () => {
  const { timers, connection, stream } = deliver();
  timers.pass(10 * limits.stalledTime - limits.lastBookmarkTime - 1);
  expect(stream.bookmarks).toBe(0);
  timers.pass(1);
  expect([stream.bookmarks, connection.ended]).toEqual([1, false]);
  timers.pass(limits.lastBookmarkTime);
  expect([stream.bookmarks, connection.ended]).toEqual([1, true]);
});

it('ends with the first event when the encoding cannot represent it', async () => {
  const { connection, stream, watches, delivery, written } = deliver(true);
  await settled();
  expect(connection.ended).toBe(false);
  stream.push('a');
  await delivery.done;
  expect([connection.ended, connection.written, written, stream.closed, watches.size]).toEqual([true, [], [], true, 0]);
});

it('reports an error in an encoding that cannot represent events', async () => {
  const { connection, stream, delivery } = deliver(true);
  stream.fail('e');
  connection.drain();
  await delivery.done;
  expect([connection.ended, connection.written]).toEqual([true, ['e']]);
});

it('keeps a slow client, and one without pending events', async () => {
  const { timers, connection, stream } = deliver();
  stream.push('a');
  await settled();
  for (let i = 0; i < 5; i++) {
    timers.pass(limits.stalledTime - 1);
    connection.drain();
    stream.push('b');
    await settled();
  }
  connection.drain();
  await settled();
  timers.pass(2 * limits.stalledTime);
  expect([connection.aborted, connection.ended]).toEqual([false, false]);
});

it('ends normally with its stream, after its duration, and on drain', async () => {
  const byStream = deliver();
  byStream.stream.end();
  await byStream.delivery.done;
  const byTime = deliver();
  byTime.timers.pass(10 * limits.stalledTime);
  await byTime.delivery.done;
  const told = deliver();
  told.watches.end();
  await told.delivery.done;
  // Its request was in progress when all watches were ended.
  const closed = new Watches();
  closed.close();
  const late = deliver(false, closed);
  late.stream.push('a');
  await late.delivery.done;
  for (const { connection, stream } of [byStream, byTime, told, late])
    expect([connection.ended, connection.aborted, stream.closed]).toEqual([true, false, true]);
});

it('writes nothing to a disconnected client', async () => {
  const { connection, stream, delivery } = deliver();
  connection.close();
  await delivery.done;
  expect([connection.ended, connection.aborted, stream.closed]).toEqual([false, false, true]);
});
