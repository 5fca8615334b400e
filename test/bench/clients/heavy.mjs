// One large read: a list, whole or in chunks, or a streaming list. `job`: { path, headers, chunks, watch, times }. Run by itself it opens
// its own connection.
import { fileURLToPath } from 'node:url';
import { constants, gunzipSync } from 'node:zlib';
import { asker1, asker2, connect1, connect2, finish, o, requestText } from './common.mjs';

const TOKEN = /"continue":"([^"]+)"|(eyJ[\w-]{20,}={0,2})/;
/** The first bytes of a response, which contain the continue token, compressed or not. */
const BEGINNING = 8192;
const INITIAL_END = Buffer.from('initial-events-end');

/** `session` is an HTTP/2 session; undefined means a new HTTP/1.1 connection. */
export async function heavy(session, job) {
  let bytes = 0;
  let first;
  const see = (piece) => {
    bytes += piece.length;
    if (first === undefined || first.length < BEGINNING) first = first === undefined ? piece : Buffer.concat([first, piece]);
  };
  const ask = job.watch ? undefined : session === undefined ? asker1(await connect1(), see) : asker2(session, see);
  const began = performance.now();
  let times = 0;
  for (; times === 0 || performance.now() - began < (job.seconds ?? 0) * 1000; times++) {
    if (job.watch) bytes += await streamed(session, job);
    else if (job.chunks === undefined) await ask({ method: 'GET', path: job.path, headers: job.headers });
    else {
      let token = '';
      do {
        first = undefined;
        const code = await ask({ method: 'GET', path: `${job.path}?limit=${job.chunks}${token && `&continue=${encodeURIComponent(token)}`}`, headers: job.headers });
        if (code !== 200) throw new Error(`${job.path} answered ${code}`);
        const found = TOKEN.exec(beginning(first).toString('latin1', 0, 1000));
        token = found?.[1] ?? found?.[2] ?? '';
      } while (token !== '');
    }
  }
  return { bytes, times, seconds: (performance.now() - began) / 1000 };
}

/** Decodes the kept start of a response: removes chunk headers and decompresses. */
function beginning(piece) {
  const line = /^([0-9a-f]+)\r\n/i;
  const parts = [];
  for (let rest = piece; ; ) {
    const size = line.exec(rest.toString('latin1', 0, 12));
    if (size === null) {
      parts.push(rest);
      break;
    }
    const from = size[0].length;
    const to = from + Number.parseInt(size[1], 16);
    parts.push(rest.subarray(from, to));
    if (to >= rest.length) break;
    rest = rest.subarray(to + 2);
  }
  const body = Buffer.concat(parts);
  return body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }) : body;
}

/** Reads until the bookmark that ends the initial events. */
async function streamed(session, { path, headers }) {
  const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const r = { method: 'GET', path: `${path}?${query}`, headers };
  let stream;
  if (session === undefined) {
    stream = await connect1();
    stream.write(requestText(r));
  } else stream = session.request({ ':path': r.path, accept: r.headers?.Accept ?? 'application/json' });
  let bytes = 0;
  let tail = Buffer.alloc(0);
  await new Promise((resolve, reject) => {
    stream.on('error', reject);
    stream.on('close', () => reject(new Error('the stream ended early')));
    stream.on('data', (piece) => {
      bytes += piece.length;
      const seam = Buffer.concat([tail, piece.subarray(0, 64)]);
      tail = Buffer.concat([tail, piece]).subarray(-64);
      if (tail.includes(INITIAL_END) || seam.includes(INITIAL_END) || piece.subarray(-2000).includes(INITIAL_END)) resolve();
    });
  });
  stream.removeAllListeners('close');
  stream.destroy();
  return bytes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) finish(await heavy(o.h2 ? await connect2({ initialWindowSize: 4 * 1024 * 1024 }, 1 << 30) : undefined, o.job));
