import type { World } from '../base/index.js';
import { type Backend, type TruncateOptions, truncator } from './backend.js';
import { Batches, type BatchOptions } from './batches.js';
import type { AuditEvent } from './event.js';
import { CHUNK_BYTES, LineBuffer, type Lines } from './lines.js';
import type { AuditMetrics } from './metrics.js';

/**
 * The destination of the log backend: a file or the standard output. `write` rejects if the bytes could not be written.
 */
export interface AuditOutput {
  /** The bytes are used again after the promise has settled. */
  write(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

export interface LogOptions {
  readonly format: 'json' | 'legacy';
  /** In the blocking modes requests wait for their lines; in `blocking-strict` they fail without them. */
  readonly mode: 'batch' | 'blocking' | 'blocking-strict';
  /** Maximum number of events and bytes in the buffer of mode `batch`. */
  readonly bufferSize: number;
  readonly bufferBytes: number;
  /** Bytes of the longest line; 0: not limited. */
  readonly lineMax: number;
  readonly truncate: TruncateOptions;
}

export interface LogParts {
  readonly world: World;
  readonly metrics: AuditMetrics;
  /** Called for each write that failed. */
  readonly failed: (error: Error) => void;
}

const PLUGIN = 'log';
const BUFFERED = 'buffered';

/** The backend of a log. The smallest batches (the default), not limited, are lines as soon as possible: they need no batches. */
export function openLog(output: AuditOutput, options: LogOptions & BatchOptions, parts: LogParts): Backend {
  const { mode, batchSize, throttle } = options;
  return mode === 'batch' && (batchSize > 1 || throttle !== undefined)
    ? new BatchedLog(output, options, parts)
    : new LogBackend(output, options, parts);
}

/** Whether a line does not fit into a file. It is counted, with the error of kube-apiserver. */
function isTooLong(bytes: number, { lineMax }: LogOptions, { metrics, failed }: LogParts): boolean {
  if (lineMax === 0 || bytes <= lineMax) return false;
  metrics.failed(PLUGIN, 1);
  failed(new Error(`write length ${bytes} exceeds maximum file size ${lineMax}`));
  return true;
}

/** How long mode `batch` collects lines before it writes them, unless there are many. */
const COLLECTED_MILLISECONDS = 50;
const COLLECTED_BYTES = CHUNK_BYTES / 2;

/**
 * Writes one line for each event. Lines of one turn of the event loop, and those that arrive during a write, are written together, so that
 * a busy server writes seldom.
 */
export class LogBackend implements Backend {
  readonly overlaps: boolean;
  readonly #output: AuditOutput;
  readonly #options: LogOptions;
  readonly #parts: LogParts;
  readonly #cut: (event: AuditEvent) => AuditEvent | undefined;
  readonly #lines = new LineBuffer();
  /** Number of events and bytes in `#lines`. */
  #events = 0;
  #collected = 0;
  /** What the requests of the events in `#lines` wait for. */
  #next = new Written();
  /** Number of bytes that wait or are being written. */
  #bytes = 0;
  #writing: Promise<void> | undefined;
  /** Whether the output has lines that it has not written yet. Only then events wait longer than a few milliseconds. */
  #isBusy = false;
  #timer: (() => void) | undefined;
  #closing = false;

  constructor(output: AuditOutput, options: LogOptions, parts: LogParts) {
    this.#output = output;
    this.overlaps = options.mode !== 'blocking-strict';
    this.#options = options;
    this.#parts = parts;
    this.#cut = truncator(options.truncate, parts.metrics);
  }

  process(given: AuditEvent): undefined | Promise<boolean> {
    const { format, mode, bufferSize, bufferBytes } = this.#options;
    const event = this.#cut(given);
    if (event === undefined) return undefined;
    if (mode === 'batch' && this.#isBusy && this.#events >= bufferSize) return this.#full();
    if (format === 'json') event.write(this.#lines);
    else this.#lines.json(event.legacy());
    const { length } = this.#lines;
    if (isTooLong(length + 1, this.#options, this.#parts)) {
      this.#lines.drop();
      return mode === 'blocking-strict' ? Promise.resolve(false) : undefined;
    }
    if (mode === 'batch' && this.#bytes + length > bufferBytes) return this.#full();
    this.#lines.end();
    this.#events++;
    this.#collected += length;
    this.#bytes += length;
    if (mode === 'batch') {
      this.#later();
      return undefined;
    }
    this.#writing ??= this.#write();
    return this.#next.promise;
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#events > 0) this.#start();
    await this.#writing;
    await this.#output.close();
  }

  /** Drops the event that does not fit into the buffer. */
  #full(): undefined {
    this.#lines.drop();
    this.#parts.metrics.failed(BUFFERED, 1);
  }

  /** No request waits for these lines, so they are collected for a short time. */
  #later(): void {
    if (this.#writing !== undefined) return;
    if (this.#collected > COLLECTED_BYTES) this.#start();
    else this.#timer ??= this.#parts.world.timers.after(COLLECTED_MILLISECONDS, () => this.#start());
  }

  #start(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    await new Promise<void>((resolve) => this.#parts.world.timers.immediate(resolve));
    do {
      const [lines, bytes, written] = [this.#lines.take(), this.#collected, this.#next];
      this.#events = 0;
      this.#collected = 0;
      this.#next = new Written();
      let ok = true;
      this.#isBusy = true;
      for (const some of lines) ok = (await this.#written(some)) && ok;
      this.#isBusy = false;
      this.#bytes -= bytes;
      written.resolve(ok || this.#options.mode === 'blocking');
    } while (this.#events > 0 && (this.#options.mode !== 'batch' || this.#closing));
    this.#writing = undefined;
    if (this.#events > 0) this.#later();
  }

  async #written(lines: Lines): Promise<boolean> {
    try {
      await this.#output.write(lines.bytes);
      return true;
    } catch (error) {
      this.#parts.metrics.failed(PLUGIN, lines.count);
      this.#parts.failed(error as Error);
      return false;
    } finally {
      this.#lines.release(lines);
    }
  }
}

/** Mode `batch` with the bounds of its batches. */
class BatchedLog implements Backend {
  readonly overlaps = true;
  readonly #output: AuditOutput;
  readonly #options: LogOptions;
  readonly #parts: LogParts;
  readonly #cut: (event: AuditEvent) => AuditEvent | undefined;
  readonly #batches: Batches<string>;

  constructor(output: AuditOutput, options: LogOptions & BatchOptions, parts: LogParts) {
    this.#output = output;
    this.#options = options;
    this.#parts = parts;
    this.#cut = truncator(options.truncate, parts.metrics);
    const send = async (lines: readonly string[]): Promise<void> => {
      try {
        await output.write(Buffer.from(lines.join('')));
      } catch (error) {
        parts.metrics.failed(PLUGIN, lines.length);
        parts.failed(error as Error);
      }
    };
    // Lines keep their order.
    this.#batches = new Batches({ send, charactersOf: (line) => line.length, sendingMax: 1 }, options, parts);
  }

  process(given: AuditEvent): undefined {
    const event = this.#cut(given);
    // The text is made at once: the record of the request changes later.
    if (event === undefined) return;
    const line = `${this.#options.format === 'json' ? event.json : event.legacy()}\n`;
    const { lineMax } = this.#options;
    if (lineMax > 0 && isTooLong(Buffer.byteLength(line), this.#options, this.#parts)) return;
    this.#batches.add(line);
  }

  async close(): Promise<void> {
    await this.#batches.close();
    await this.#output.close();
  }
}

/** A promise for all events that are written together. */
class Written {
  resolve!: (ok: boolean) => void;
  readonly promise = new Promise<boolean>((resolve) => {
    this.resolve = resolve;
  });
}
