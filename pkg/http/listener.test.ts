import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { UserInfo } from '../api/index.js';
import { Scheduler, type World } from '../base/index.js';
import { limits } from './limits.js';
import { HeldConnection, TestDoor, turn, until } from './testing/door.js';
import { ADMIN, testWorld } from './testing.js';

const opened: TestDoor[] = [];
afterEach(async () => {
  for (const { listener } of opened.splice(0)) await listener.drain(0);
});

async function open(): Promise<TestDoor> {
  const door = await TestDoor.open();
  opened.push(door);
  return door;
}

const CMS = '/api/v1/namespaces/n/configmaps';

function post(name: string): string {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  return `POST ${CMS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

it('serves pipelined requests of an HTTP/1.1 connection one at a time, in order', async () => {
  const door = await open();
  const { services } = door;
  let running = 0;
  let most = 0;
  services.registry.before = async () => {
    most = Math.max(most, ++running);
    // Time for other requests to begin, if they could.
    for (let i = 0; i < 5; i++) await turn();
    running--;
  };
  const socket = await door.dial();
  const names = Array.from({ length: limits.pipelinedAnonymousMax }, (_, i) => `a${i}`);
  const last = `GET /version HTTP/1.1\r\nHost: x\r\n\r\n`;
  const answers = until(socket, (text) => text.includes('gitVersion'));
  socket.write(names.map(post).join('') + last);
  const text = await answers;
  expect(most).toBe(1);
  expect([...text.matchAll(/"name":"(a\d+)"/g)].map((m) => m[1])).toEqual(names);
  expect([...services.registry.objects.keys()]).toEqual(names);
  socket.destroy();
});

it('begins requests that arrive in one turn of the event loop together', async () => {
  /** How many requests had arrived, and not begun, when one began after an arrival. */
  const together: number[] = [];
  let arrived = 0;
  let begun = 0;
  let isArrival = false;
  const arrives = (): void => {
    arrived++;
    isArrival = true;
  };
  const begins = (): UserInfo => {
    if (isArrival) together.push(arrived - begun);
    isArrival = false;
    begun++;
    return ADMIN;
  };
  const door = await TestDoor.open(testWorld, { user: begins });
  opened.push(door);
  subscribe('http.server.request.start', arrives);
  const sockets = await Promise.all(Array.from({ length: 8 }, () => door.dial()));
  const answers = sockets.map((socket) => until(socket, (text) => text.includes('"name"')));
  await turn();
  for (const [i, socket] of sockets.entries()) socket.write(post(`a${i}`));
  // The client is in this process. It holds the event loop until the kernel has delivered all of them.
  process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50));
  await Promise.all(answers);
  unsubscribe('http.server.request.start', arrives);
  expect(together.reduce((sum, count) => sum + count)).toBe(sockets.length);
  expect(Math.max(...together)).toBeGreaterThan(1);
  for (const socket of sockets) socket.destroy();
});

it('closes a connection with too many pipelined requests', async () => {
  const door = await open();
  let begun = 0;
  door.services.registry.before = () => {
    begun++;
    return new Promise(() => {});
  };
  const socket = await door.dial();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(Array.from({ length: 478 }, (_, i) => `GET ${CMS}/a${i} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  await closed;
  expect(begun).toBe(1);
});

it('answers the requests before one that cannot be parsed', async () => {
  const door = await open();
  const { services } = door;
  services.registry.before = async () => {
    for (let i = 0; i < 5; i++) await turn();
  };
  const socket = await door.dial();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  // Node's client sends such a body if a DELETE has no Content-Length.
  socket.write(`${post('a')}${post('b')}{"kind":"DeleteOptions"}\r\n\r\n`);
  await closed;
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((m) => m[1])).toEqual(['201', '201', '405']);
  expect([...services.registry.objects.keys()]).toEqual(['a', 'b']);
});

it('does not wait for the rest of a body that cannot be parsed', async () => {
  const door = await open();
  const socket = await door.dial();
  const answered = until(socket, (text) => text.includes('400 Bad Request'));
  const head = `POST ${CMS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  socket.write(`${head}2\r\n{}\r\nzz\r\n`);
  await answered;
  socket.destroy();
});

describe('a malformed request', () => {
  const line = 'GET /version HTTP/1.1\r\n';
  it.each([
    [
      'more header lines than may be',
      `${line}Host: x\r\n${'A: b\r\n'.repeat(limits.headersMax)}Impersonate-User: x\r\n\r\n`,
      431,
    ],
    ['no Host', `${line}\r\n`, 400],
    ['two Hosts', `${line}Host: x\r\nHost: y\r\n\r\n`, 400],
    ['a coding beside chunked', `${line}Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 501],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ])('is refused in a Status: %s', async (_what, request, code) => {
    const door = await open();
    const socket = await door.dial();
    const answer = until(socket, (text) => text.endsWith('}\n'));
    socket.write(request);
    const text = await answer;
    expect(text.slice(0, 13)).toBe(`HTTP/1.1 ${code} `);
    expect(text.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ kind: 'Status', status: 'Failure', code });
    socket.destroy();
  });

  it('accepts the maximum number of header lines', async () => {
    const door = await open();
    const socket = await door.dial();
    const answer = until(socket, (text) => text.includes('gitVersion'));
    socket.write(`${line}Host: x\r\n${'A: b\r\n'.repeat(limits.headersMax - 1)}\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});

it('closes connections beyond its limit, and accepts new ones when others have closed', async () => {
  const door = await TestDoor.open(undefined, {}, { connectionsMax: 2 });
  opened.push(door);
  const first = await door.dial();
  const second = await door.dial();
  await expect(door.dial()).rejects.toThrow();
  const gone = new Promise((resolve) => second.once('close', resolve));
  second.destroy();
  await gone;
  // The server sees the end of the connection a while after the client.
  const third = await dialed(door);
  for (const socket of [first, third]) socket.destroy();
});

/** Connects as soon as the server accepts a connection, within a minute. */
async function dialed(door: TestDoor): ReturnType<TestDoor['dial']> {
  for (const end = Date.now() + 60_000; ; await turn()) {
    try {
      return await door.dial();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/**
 * Sends requests over one HTTP/2 session, one after the other, until it is closed or `most` are answered. Returns how
 * many were answered.
 */
async function answeredOverHttp2(
  door: TestDoor,
  most: number,
  headers: Record<string, string> = {},
  between: () => void = () => {},
): Promise<number> {
  const session = connectHttp2(`https://127.0.0.1:${door.listener.port}`, { ca: door.ca });
  session.on('error', () => {});
  const closed = new Promise((resolve) => session.once('close', resolve));
  let answered = 0;
  const more = (): void => {
    if (session.destroyed || session.closed) return;
    if (answered === most) {
      session.close();
      return;
    }
    between();
    const stream = session.request({ ':path': `${CMS}/a`, ...headers });
    stream.on('error', () => {});
    stream.once('response', () => answered++);
    stream.once('close', more);
    stream.resume();
  };
  more();
  await closed;
  return answered;
}

/** A clock that advances by this much at each request, if `advance` is called. */
function steppedWorld(): { readonly world: World; readonly advance: (milliseconds: number) => void } {
  let now = 1000;
  const world = { ...testWorld, clock: { now: () => Date.now(), monotonic: () => now } };
  const advance = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { world, advance };
}

describe('an HTTP/2 session', () => {
  const most = limits.requestsAnonymousMax;

  it.each([{}, { authorization: 'Bearer x' }])(
    'ends after many requests without valid credentials: %o',
    async (headers) => {
      const door = await TestDoor.open(steppedWorld().world, { user: () => undefined });
      opened.push(door);
      expect(await answeredOverHttp2(door, most + 5, headers)).toBe(most);
    },
  );

  it('stays open for clients without credentials that send a few requests each second', async () => {
    const { world, advance } = steppedWorld();
    const door = await TestDoor.open(world, { user: () => undefined });
    opened.push(door);
    const each = 1000 / limits.requestsAnonymousPerSecond;
    expect(await answeredOverHttp2(door, 2 * most, {}, () => advance(each))).toBe(2 * most);
  });

  it('answers all requests that it accepted before it ends', async () => {
    const door = await TestDoor.open(steppedWorld().world, { user: () => undefined });
    opened.push(door);
    const session = connectHttp2(`https://127.0.0.1:${door.listener.port}`, { ca: door.ca });
    session.on('error', () => {});
    const goaway = new Promise<[number, number]>((resolve) =>
      session.once('goaway', (code, last) => resolve([code, last])),
    );
    const closed = new Promise((resolve) => session.once('close', resolve));
    const answered = new Set<number>();
    for (let i = 0; i < most + 50; i++) {
      const stream = session.request({ ':path': `${CMS}/a` });
      stream.on('error', () => {});
      stream.once('response', () => answered.add(stream.id!));
      stream.resume();
    }
    const [code, last] = await goaway;
    await closed;
    expect(code).toBe(0);
    const accepted = Array.from({ length: (last + 1) / 2 }, (_, i) => 2 * i + 1);
    expect([...answered].filter((id) => id <= last).sort((a, b) => a - b)).toEqual(accepted);
    expect(accepted.length).toBeGreaterThanOrEqual(most);
  });

  it('ends after a request that chance selects, whose response is sent', async () => {
    const floats = [0.5, 0.02, 0.019];
    const random = { ...testWorld.random, float: () => floats.shift() ?? 1 };
    const door = await TestDoor.open({ ...testWorld, random }, {}, { goawayChance: 0.02 });
    opened.push(door);
    expect(await answeredOverHttp2(door, 5)).toBe(3);
    expect(await answeredOverHttp2(door, 5)).toBe(5);
  });

  it('stays open while its requests have valid credentials', async () => {
    expect(await answeredOverHttp2(await open(), most + 5)).toBe(most + 5);
  });
});

/** Counts the requests that Node's parser has created, and the maximum that began in one turn, until `stop`. */
function countParsed(): { parsed: number; readonly stop: () => void } {
  const count = { parsed: 0, stop: () => unsubscribe('http.server.request.start', note) };
  const note = (): void => void count.parsed++;
  subscribe('http.server.request.start', note);
  return count;
}

it('parses only a few requests of an unauthenticated client at once', async () => {
  const door = await open();
  door.services.registry.before = () => new Promise(() => {});
  // The first client that sends requests without waiting is parsed directly once.
  const first = await door.dial();
  const answered = until(first, (text) => text.split('HTTP/1.1 200').length > 3);
  first.write('GET /api HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  await answered;
  first.destroy();
  const socket = await door.dial();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const count = countParsed();
  socket.write('GET /api HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(478));
  await closed;
  count.stop();
  // Node alone would parse all of them. The first request has authenticated the client.
  expect(count.parsed).toBeLessThanOrEqual((limits.parsedBytesAnonymousMax + limits.parsedBytesMax) / 30);
});

describe('requests that arrive together', () => {
  /** A server on which one request begins in each turn, and the maximum that began in one turn. */
  async function oneInEachTurn(): Promise<{ readonly door: TestDoor; readonly most: () => number }> {
    const [starts, anonymousStarts] = [new Scheduler(testWorld, -1), new Scheduler(testWorld, -1)];
    const begun = new Map<number, number>();
    let [now, ended] = [0, false];
    const next = (): void => {
      now++;
      if (!ended) setImmediate(next);
    };
    setImmediate(next);
    const door = await TestDoor.open(undefined, {
      stages: { starts, anonymousStarts },
      user: () => {
        begun.set(now, (begun.get(now) ?? 0) + 1);
        return undefined;
      },
    });
    opened.push(door);
    const most = (): number => {
      ended = true;
      return Math.max(...begun.values());
    };
    return { door, most };
  }

  it('begin in separate turns over HTTP/2', async () => {
    const { door, most } = await oneInEachTurn();
    const session = connectHttp2(`https://127.0.0.1:${door.listener.port}`, { ca: door.ca });
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    const answers = Array.from({ length: 40 }, () => {
      const stream = session.request({ ':path': `${CMS}/a` });
      stream.resume();
      return new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])));
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([401]));
    expect(most()).toBe(1);
    session.close();
  });

  it('begin in separate turns over HTTP/1.1', async () => {
    const { door, most } = await oneInEachTurn();
    const sockets = await Promise.all(Array.from({ length: 8 }, () => door.dial()));
    const answers = sockets.map((socket) => until(socket, (text) => text.includes('Unauthorized')));
    for (const socket of sockets) socket.write(`GET ${CMS}/a HTTP/1.1\r\nHost: x\r\n\r\n`);
    await Promise.all(answers);
    expect(most()).toBe(1);
    for (const socket of sockets) socket.destroy();
  });

  it('keep their bodies, whatever the size of the pieces', async () => {
    const { door } = await oneInEachTurn();
    door.services.stages.authenticator.authenticate = () => ({
      kind: 'authenticated',
      user: { name: 'a', groups: ['system:masters'] },
    });
    const socket = await door.dial();
    const bodies = [1, 5_000, 300_000, 70_000, 2].map((length, i) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `a${i}` },
        data: { x: 'y'.repeat(length) },
      }),
    );
    const requests = bodies.map((body, i) =>
      i % 2 === 0
        ? `POST ${CMS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        : `POST ${CMS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    const answered = until(socket, (text) => text.split('HTTP/1.1 201').length > bodies.length);
    socket.write(requests.join(''));
    await answered;
    const stored = [...door.services.registry.objects.values()].map((object) => JSON.stringify(object));
    expect(stored.map((text) => text.match(/y+/)?.[0].length)).toEqual([1, 5_000, 300_000, 70_000, 2]);
    socket.destroy();
  });
});

it('runs an HTTP/2 request with an unknown method through the pipeline, whatever its path', async () => {
  const door = await open();
  const session = connectHttp2(`https://127.0.0.1:${door.listener.port}`, { ca: door.ca });
  for (const path of ['/version', '/healthz', '/nope']) {
    const stream = session.request({ ':path': path, ':method': 'INVENTED' });
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    expect([headers[':status'], headers['audit-id'] !== undefined]).toEqual([404, true]);
    stream.resume();
  }
  session.close();
});

it('offers no CBC suite of TLS 1.2', async () => {
  const door = await open();
  const error = await new Promise<Error>((resolve, reject) => {
    const socket = connectTls({
      host: '127.0.0.1',
      port: door.listener.port,
      ca: door.ca,
      maxVersion: 'TLSv1.2',
      ciphers:
        'ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA:AES128-SHA',
    });
    socket.once('secureConnect', () => reject(new Error(`connected with ${socket.getCipher().name}`)));
    socket.once('error', resolve);
  });
  expect(error.message).toMatch(/handshake failure|no shared cipher|alert/i);
});

it('accepts a body that arrives while its request is queued', async () => {
  const door = await open();
  const { services } = door;
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  let begun = (): void => {};
  const first = new Promise<void>((resolve) => {
    begun = resolve;
  });
  services.registry.before = () => {
    begun();
    return gate;
  };
  const socket = await door.dial();
  const both = post('a') + post('b');
  const answers = until(socket, (text) => text.includes('"name":"b"'));
  socket.write(both.slice(0, -5));
  await first;
  socket.write(both.slice(-5));
  go();
  expect((await answers).match(/HTTP\/1\.1 201 /g)).toHaveLength(2);
  socket.destroy();
});

// While a response waits to be written, Node pauses its parser after the headers of the next request. Bytes of the same read in a
// separate TLS record were passed to the paused parser, which closed the connection with 400.
it('accepts a request in two TLS records while a response is in progress', async () => {
  const door = await open();
  const { objects } = door.services.registry;
  const begun = new Promise<void>((resolve) => {
    door.services.registry.before = resolve;
  });
  objects.set('big', {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'big' },
    data: { x: 'y'.repeat(8_000_000) },
  });
  const beneath = new HeldConnection(door.listener.port);
  const socket = await door.dial(beneath);
  socket.pause();
  socket.write(`GET ${CMS}/big HTTP/1.1\r\nHost: x\r\n\r\n`);
  await begun;
  // The response is written meanwhile, as far as the connection accepts it.
  for (let i = 0; i < 20; i++) await turn();
  const whole = post('a');
  const bodyAt = whole.indexOf('{');
  beneath.hold();
  socket.write(whole.slice(0, bodyAt));
  await turn();
  socket.write(whole.slice(bodyAt));
  await turn();
  beneath.release();
  let end = '';
  const answered = new Promise<void>((resolve, reject) => {
    socket.on('data', (piece: Buffer) => {
      end = (end + piece.toString('latin1')).slice(-2000);
      if (end.endsWith('"name":"a"}}')) resolve();
    });
    socket.on('end', () => reject(new Error(`ended after ${end.slice(-200)}`)));
  });
  socket.resume();
  await answered;
  expect(end).toContain('HTTP/1.1 201 Created');
  socket.destroy();
});

// Node stops reading a connection that it has paused. Its stream had never ended the read that Node's parser took over, so that it began no other.
it('reads on after a request that arrived while a response is in progress', async () => {
  const door = await open();
  const { objects } = door.services.registry;
  const begun = new Promise<void>((resolve) => {
    door.services.registry.before = resolve;
  });
  const big = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'big' }, data: { x: 'y'.repeat(8_000_000) } };
  objects.set('big', big);
  const socket = await door.dial();
  let end = '';
  let count = 0;
  const answers = (wanted: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (count >= wanted && resolve());
      socket.on('end', () => reject(new Error(`ended after ${end}`)));
      socket.on('data', look);
      look();
    });
  socket.on('data', (piece: Buffer) => {
    end = (end + piece.toString('latin1')).slice(-300);
    if (end.endsWith('"}}')) count++;
  });
  socket.pause();
  socket.write(`GET ${CMS}/big HTTP/1.1\r\nHost: x\r\n\r\n`);
  await begun;
  for (let i = 0; i < 20; i++) await turn();
  socket.write(post('a'));
  for (let i = 0; i < 20; i++) await turn();
  const both = answers(2);
  socket.resume();
  await both;
  for (const name of ['b', 'c']) {
    const next = answers(count + 1);
    socket.write(post(name));
    await next;
  }
  expect(new Set(objects.keys())).toEqual(new Set(['big', 'a', 'b', 'c']));
  socket.destroy();
});

it('does not begin queued requests of a closed connection', async () => {
  const door = await open();
  const { services, listener } = door;
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const begun: string[] = [];
  services.registry.before = async () => {
    begun.push('one');
    await gate;
  };
  const socket = await door.dial();
  socket.write(post('a') + post('b'));
  while (begun.length === 0) await turn();
  socket.destroy();
  const drained = listener.drain(60_000);
  go();
  await drained;
  expect([begun.length, [...services.registry.objects.keys()]]).toEqual([1, ['a']]);
});

describe('a drain', () => {
  it('ends a watch whose request was in progress', async () => {
    const door = await open();
    const { services, listener } = door;
    let go = (): void => {};
    const begun = new Promise<void>((resolve) => {
      services.registry.before = () => {
        resolve();
        return new Promise((resume) => {
          go = resume;
        });
      };
    });
    const socket = await door.dial();
    const answer = until(socket, (text) => text.endsWith('\r\n0\r\n\r\n'));
    socket.write(`GET ${CMS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await begun;
    const drained = listener.drain(60_000);
    await turn();
    go();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    await drained;
    expect([services.watches.size, services.registry.streams[0]!.closed]).toEqual([0, true]);
  });

  it('is shared by concurrent calls', async () => {
    const { listener } = await open();
    expect(listener.drain(0)).toBe(listener.drain(60_000));
    await listener.drain(0);
  });

  // Without a limit it would take as long as a handshake may (`limits.headersTime`), 32 seconds.
  it('does not wait for connections without data', { timeout: 30_000 }, async () => {
    const { listener } = await open();
    const silent = connect(listener.port, '127.0.0.1');
    const closed = new Promise((resolve) => silent.once('close', resolve));
    await new Promise((resolve) => silent.once('connect', resolve));
    await listener.drain(60_000);
    await closed;
  });
});
