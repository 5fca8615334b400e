import { type DestinationStream, type Logger, pino } from 'pino';

/** The structured log. Each process has one instance; rooms below the composition root get a child or none. */
export type Log = Logger;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  /** The destination of log lines; standard error by default. */
  readonly destination?: DestinationStream;
}

/**
 * Writes JSON lines: `{"level":"info","time":"...","msg":"..."}`. Writes are synchronous, so that the last line before an exit is
 * not lost.
 */
export function createLog(options: LogOptions): Log {
  return pino(
    {
      level: options.level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
}
