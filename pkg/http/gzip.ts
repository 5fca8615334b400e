import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Call } from './call.js';
import type { AnswerStream } from './exchange.js';
import { limits } from './limits.js';
import { Pace } from './streaming.js';

/** Whether the client named gzip. As in the reference, only for what is read. */
export function acceptsGzip(call: Call): boolean {
  const accept = call.exchange.headers['accept-encoding'];
  if (accept === undefined || call.exchange.method !== 'GET') return false;
  const text = typeof accept === 'string' ? accept : String(accept);
  return text.split(',').some((part) => {
    const [coding, quality] = part.split(';');
    return coding?.trim() === 'gzip' && quality?.trim() !== 'q=0';
  });
}

/** Compresses on zlib's own threads; the event loop only moves pieces. */
export async function gzipped(call: Call, answer: AnswerStream, pieces: Iterable<Buffer>): Promise<void> {
  const gzip = createGzip({ level: limits.gzipLevel, chunkSize: 64 * 1024 });
  const out = forward(call, answer, gzip);
  let since = performance.now();
  for (const piece of pieces) {
    if (call.exchange.gone || gzip.destroyed) break;
    if (piece.length > 0 && !gzip.write(piece)) await Promise.race([once(gzip, 'drain'), once(gzip, 'close')]);
    else if (performance.now() - since > limits.sliceTime) await setImmediate();
    else continue;
    since = performance.now();
  }
  if (call.exchange.gone) gzip.destroy();
  else gzip.end();
  await out;
}

async function forward(
  call: Call,
  answer: AnswerStream,
  gzip: NodeJS.ReadableStream & { destroy(): void },
): Promise<void> {
  const pace = new Pace(call, answer);
  try {
    for await (const piece of gzip) {
      if (call.exchange.gone) break;
      const bytes = piece as Buffer;
      call.bytes += bytes.length;
      if (!answer.write(bytes) && !(await pace.drained())) {
        if (!call.exchange.gone) call.exchange.abort();
        break;
      }
    }
    if (!call.exchange.gone) answer.end();
  } finally {
    gzip.destroy();
  }
}
