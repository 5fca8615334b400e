import type { History, ObjectOperation, WatchEvent, WatchRun } from './history.js';
import { checkLinearizable, objectModel } from './linearizable.js';

export interface Judgement {
  /** The violations, one line each. Empty when there are none. */
  readonly violations: readonly string[];
  /** Keys whose history was too concurrent to decide. */
  readonly undecided: readonly string[];
  readonly keys: number;
  readonly operations: number;
  readonly events: number;
}

const STEPS_MAX = 300_000;

/** Checks everything that clients observed. `end`: every watch was read at least up to this revision. */
export function judge(history: History, end: number): Judgement {
  const violations: string[] = [];
  const undecided: string[] = [];
  let operations = 0;
  for (const [key, ops] of history.operations) {
    operations += ops.length;
    const verdict = checkLinearizable(objectModel, ops, STEPS_MAX);
    if (verdict.kind === 'undecided') undecided.push(key);
    if (verdict.kind === 'violation')
      violations.push(`${key} is not linearizable, stuck at ${verdict.stuck.map(text).join('; ')}\n${log(ops)}`);
  }
  violations.push(...revisionsGoBack(history), ...history.watches.flatMap(runFaults));
  violations.push(...missedEvents(history, end));
  const events = history.watches.reduce((n, w) => n + w.events.length, 0);
  return { violations, undecided, keys: history.operations.size, operations, events };
}

function text(op: ObjectOperation | Omit<ObjectOperation, 'by'>): string {
  return JSON.stringify(op);
}

const LOG_LINES_MAX = 60;

function log(ops: readonly ObjectOperation[]): string {
  return [...ops]
    .sort((a, b) => a.called - b.called)
    .slice(-LOG_LINES_MAX)
    .map((o) => `    ${text(o)}`)
    .join('\n');
}

/** A consistent read never returns a revision older than one returned by a read that ended before it began. */
export function revisionsGoBack({ revisions }: Pick<History, 'revisions'>): string[] {
  const byReturn = [...revisions].sort((a, b) => a.returned - b.returned);
  const found: string[] = [];
  let at = 0;
  let newest = 0;
  for (const seen of [...revisions].sort((a, b) => a.called - b.called)) {
    while (at < byReturn.length && byReturn[at]!.returned < seen.called)
      newest = Math.max(newest, byReturn[at++]!.revision);
    if (seen.revision < newest) found.push(`revision ${newest} was observed, and later ${JSON.stringify(seen)}`);
  }
  return found;
}

/** Checks one watcher: revisions increase strictly, and no event is at or below an earlier bookmark. */
export function runFaults(run: WatchRun): string[] {
  let last = run.from;
  const found: string[] = [];
  for (const event of run.events) {
    const repeated = event.kind === 'bookmark' ? event.revision < last : event.revision <= last;
    if (repeated) found.push(`watcher ${run.by}: ${JSON.stringify(event)} after revision ${last}`);
    last = Math.max(last, event.revision);
  }
  return found;
}

/** Checks that every watcher received every event in its range that any other watcher or client saw. */
export function missedEvents(history: Pick<History, 'watches' | 'operations'>, end: number): string[] {
  const all = new Map<number, string>();
  const found: string[] = [];
  const note = (revision: number, what: string, by: string): void => {
    const there = all.get(revision);
    if (there === undefined) all.set(revision, what);
    else if (there !== what) found.push(`revision ${revision}: ${there}, but ${by} has ${what}`);
  };
  for (const run of history.watches)
    for (const e of run.events) if (e.kind !== 'bookmark') note(e.revision, say(e), `watcher ${run.by}`);
  for (const [key, ops] of history.operations) {
    for (const { input, output, by } of ops)
      if (output?.kind === 'ok' && input.kind !== 'get')
        note(Number(output.version), say({ kind: 'put', key, value: output.value }), by);
  }
  const revisions = [...all.keys()].sort((a, b) => a - b);
  for (const run of history.watches) {
    const has = new Set(run.events.filter((e) => e.kind !== 'bookmark').map((e) => e.revision));
    for (const revision of revisions)
      if (revision > run.from && revision <= Math.min(end, run.to ?? end) && !has.has(revision))
        found.push(
          `watcher ${run.by} (from ${run.from}) missed revision ${revision}: ${all.get(revision)}; ${around(run, revision)}`,
        );
  }
  return found;
}

const AROUND = 3;

/** The events of a watcher around this revision, in order of arrival. */
function around(run: WatchRun, revision: number): string {
  const after = run.events.findIndex((e) => e.revision > revision);
  const at = after < 0 ? run.events.length : after;
  const near = run.events.slice(Math.max(0, at - AROUND), at + AROUND);
  return `near it: ${near.map((e) => `${e.revision} ${e.kind === 'bookmark' ? 'bookmark' : say(e)}`).join(', ')}`;
}

function say(event: Pick<WatchEvent, 'kind' | 'key' | 'value'>): string {
  return event.kind === 'put' ? `${event.key}=${event.value}` : `${event.key} deleted`;
}
