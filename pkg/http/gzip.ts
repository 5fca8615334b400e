import { createGzip, type Gzip } from 'node:zlib';
import type { Call } from './call.js';
import type { AnswerStream } from './exchange.js';
import { limits } from './limits.js';
import { copyPieces } from './streaming.js';

/** Whether the client accepts gzip. As in kube-apiserver, only responses to reads are compressed. */
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

/** Compresses on zlib's threads, as fast as the connection accepts the output. */
export async function gzipped(
  call: Call,
  answer: AnswerStream,
  pieces: Iterable<Buffer, void, boolean | undefined>,
): Promise<void> {
  const compressed = new GzipAnswer(answer);
  call.exchange.onClose(() => compressed.close());
  await copyPieces(call, compressed, pieces);
  // A client that has already disconnected causes no further event.
  if (call.exchange.gone) compressed.close();
  await compressed.closed;
  call.bytes = compressed.bytes;
}

/** A body whose content is compressed into `answer`. It accepts more when its input is compressed and written. */
class GzipAnswer implements AnswerStream {
  /** The number of compressed bytes. */
  bytes = 0;
  /** Set when all output is written, or when none will follow. */
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
