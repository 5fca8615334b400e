import type { World } from '../base/index.js';
import type { Sender } from './backend.js';
import type { AuditMetrics } from './metrics.js';

/**
 * The destination of the log backend: a file or the standard output. `write` rejects if the bytes could not be written.
 */
export interface AuditOutput {
  write(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

const PLUGIN = 'log';

interface Waiting {
  readonly text: string;
  readonly events: number;
  readonly done: (ok: boolean) => void;
}

/**
 * Writes one line for each event. Lines of one turn of the event loop, and those that arrive during a write, are
 * written together, so that a busy server makes few writes.
 */
export function logSender(
  output: AuditOutput,
  format: 'json' | 'legacy',
  { world, metrics, failed }: LogParts,
): Sender {
  let waiting: Waiting[] = [];
  let busy = false;
  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const now = waiting;
      waiting = [];
      let ok = true;
      try {
        await output.write(Buffer.from(now.map((w) => w.text).join('')));
      } catch (error) {
        ok = false;
        metrics.failed(
          PLUGIN,
          now.reduce((n, w) => n + w.events, 0),
        );
        failed(error as Error);
      }
      for (const w of now) w.done(ok);
    }
    busy = false;
  };
  return (events) =>
    new Promise((done) => {
      let text = '';
      for (const e of events) text += `${format === 'json' ? e.json : e.legacy()}\n`;
      waiting.push({ text, events: events.length, done });
      if (busy) return;
      busy = true;
      world.timers.immediate(() => void write());
    });
}

export interface LogParts {
  readonly world: World;
  readonly metrics: AuditMetrics;
  /** Called for each write that failed. */
  readonly failed: (error: Error) => void;
}
