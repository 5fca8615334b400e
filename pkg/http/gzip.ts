import { createGzip, type Gzip } from 'node:zlib';
import type { Call } from './call.js';
import type { AnswerStream } from './exchange.js';
import { limits } from './limits.js';
import { copyPieces } from './streaming.js';

/** Whether the client named gzip. As in the reference, only for what is read. */
export function acceptsGzip(call: Call): boolean {
  if (!call.compresses) return false;
  const accept = call.exchange.headers['accept-encoding'];
  if (accept === undefined || call.exchange.method !== 'GET') return false;
  const text = typeof accept === 'string' ? accept : String(accept);
  return text.split(',').some((part) => {
    const [coding, quality] = part.split(';');
    return coding?.trim() === 'gzip' && !REFUSED.test(quality ?? '');
  });
}

const REFUSED = /^\s*q\s*=\s*0(?:\.0*)?\s*$/i;

/** Compresses on zlib's own threads, at the pace of the connection; the event loop only moves pieces. */
export async function gzipped(
  call: Call,
  answer: AnswerStream,
  pieces: Iterable<Buffer, void, boolean | undefined>,
): Promise<void> {
  const compressed = new GzipAnswer(answer);
  call.exchange.onClose(() => compressed.close());
  await copyPieces(call, compressed, pieces);
  // A client that had gone before is not told of again.
  if (call.exchange.gone) compressed.close();
  await compressed.closed;
  call.bytes = compressed.bytes;
}

/** What is written into it comes out of `answer` compressed. It has room when what it was given is compressed, and that is written. */
class GzipAnswer implements AnswerStream {
  /** That came out. */
  bytes = 0;
  /** Everything is out, or nothing will be. */
  readonly closed: Promise<void>;
  readonly #gzip: Gzip;

  constructor(answer: AnswerStream) {
    const gzip = createGzip({ level: limits.gzipLevel, chunkSize: 64 * 1024 });
    this.#gzip = gzip;
    gzip.on('data', (piece: Buffer) => {
      this.bytes += piece.length;
      if (!answer.write(piece)) gzip.pause();
    });
    answer.onDrain(() => gzip.resume());
    gzip.once('end', () => answer.end());
    this.closed = new Promise((resolve) => gzip.once('close', resolve));
  }

  write(bytes: Buffer): boolean {
    return this.#gzip.write(bytes);
  }

  onDrain(f: () => void): void {
    this.#gzip.on('drain', f);
  }

  end(): void {
    this.#gzip.end();
  }

  close(): void {
    this.#gzip.destroy();
  }
}
