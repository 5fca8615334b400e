import { type DestinationStream, type Logger, pino } from 'pino';

/** Structured log. One instance a process, handed in; rooms below the composition root get a child or nothing. */
export type Log = Logger;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  /** Where lines go; the process's standard error unless told otherwise. */
  readonly destination?: DestinationStream;
}

/** JSON lines: `{"level":"info","time":"...","msg":"..."}`. Written at once, so that the last line before an exit is there. */
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
