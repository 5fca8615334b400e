// Shared code of the client processes.
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import tls from 'node:tls';

/** The job that the bench gives to this client. */
export const o = JSON.parse(process.argv[2]);
/** A client with a token has no certificate. */
export const credentials = o.token === undefined ? { cert: readFileSync(o.cert), key: readFileSync(o.key), rejectUnauthorized: false } : { rejectUnauthorized: false };
const AUTHORIZATION = o.token === undefined ? {} : { Authorization: `Bearer ${o.token}` };

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function quantiles(latencies) {
  latencies.sort((a, b) => a - b);
  const at = (q) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** The bench stops a long-running client by closing its input. */
export const untilEnd = () =>
  new Promise((resolve) => {
    process.stdin.resume();
    process.stdin.once('end', resolve);
  });

export const tell = (figures) => console.log(JSON.stringify(figures));
/** Exits without closing open connections. */
export const finish = (figures) => process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));

/** Opens a TLS connection for HTTP/1.1. */
export async function connect1(options = {}) {
  const socket = tls.connect({ host: '127.0.0.1', port: o.port, ...credentials, ALPNProtocols: ['http/1.1'], ...options });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  socket.setNoDelay(true);
  return socket;
}

export async function connect2(settings = {}, connectionWindow = undefined) {
  const session = http2.connect(`https://127.0.0.1:${o.port}`, { ...credentials, settings });
  await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject));
  if (connectionWindow !== undefined) session.setLocalWindowSize(connectionWindow);
  return session;
}

/** Formats an HTTP/1.1 request line and headers. */
export function requestText(r) {
  const headers = { Host: '127.0.0.1', 'User-Agent': 'bench/1', Accept: 'application/json', ...AUTHORIZATION, ...r.headers };
  if (r.body !== undefined) Object.assign(headers, { 'Content-Type': r.type, 'Content-Length': Buffer.byteLength(r.body) });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${r.method} ${r.path} HTTP/1.1\r\n${lines.join('')}\r\n${r.body ?? ''}`;
}

const END = Buffer.from('0\r\n\r\n');

/**
 * Sends requests over one HTTP/1.1 connection, one after the other. Parses only enough of a response to find its end. `see`
 * receives each chunk.
 */
export function asker1(socket, see = () => {}) {
  let head = Buffer.alloc(0);
  let left = -1;
  let chunked = false;
  let answered;
  let failed;
  const finish = () => {
    left = -1;
    head = Buffer.alloc(0);
    answered();
  };
  socket.on('error', (e) => failed?.(e));
  socket.on('close', () => failed?.(new Error('the connection was closed')));
  let code = 0;
  socket.on('data', (piece) => {
    if (left < 0) {
      head = head.length === 0 ? piece : Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const text = head.toString('latin1', 0, end);
      code = Number(text.slice(9, 12));
      const length = /content-length: (\d+)/i.exec(text);
      chunked = length === null;
      const rest = head.subarray(end + 4);
      if (rest.length > 0) see(rest);
      left = chunked ? 1 : Number(length[1]) - rest.length;
      if (chunked ? rest.subarray(-5).equals(END) : left <= 0) finish();
      return;
    }
    see(piece);
    if (!chunked) left -= piece.length;
    if (chunked ? piece.subarray(-5).equals(END) : left <= 0) finish();
  });
  return (r) =>
    new Promise((resolve, reject) => {
      answered = () => resolve(code);
      failed = reject;
      socket.write(requestText(r));
    });
}

/** The same, as a stream on an HTTP/2 session. */
export function asker2(session, see = () => {}) {
  return (r) =>
    new Promise((resolve, reject) => {
      const headers = { accept: 'application/json', 'user-agent': 'bench/1' };
      for (const [name, value] of Object.entries({ ...AUTHORIZATION, ...r.headers })) headers[name.toLowerCase()] = value;
      if (r.body !== undefined) { headers['content-type'] = r.type; headers['content-length'] = Buffer.byteLength(r.body); }
      const stream = session.request({ ':method': r.method, ':path': r.path, ...headers });
      let code = 0;
      stream.on('response', (h) => {
        code = h[':status'];
      });
      stream.on('data', see);
      stream.on('end', () => resolve(code));
      stream.on('error', reject);
      stream.end(r.body);
    });
}
