import type { Fairness } from './fairness.js';
import type { Occupant, PriorityLevel } from './level.js';

/** The tables of `/debug/api_priority_and_fairness/`, in the form of kube-apiserver: columns separated by commas, padded to align. */
export const DUMPS = {
  dump_priority_levels: priorityLevels,
  dump_queues: queues,
  dump_requests: requests,
} as const;

type Row = readonly (string | number | boolean)[];

function priorityLevels(fairness: Fairness): string {
  const rows: Row[] = fairness.levels.map((level) => [
    level.name,
    level.queues.filter((q) => q.executing > 0 || q.waiting.length > 0).length,
    !level.config.exempt && level.waiting === 0 && level.executing === 0,
    false,
    level.waiting,
    level.executing,
    level.totals.dispatched,
    level.totals.rejected,
    level.totals.timedOut,
    level.totals.cancelled,
  ]);
  return text(LEVEL_COLUMNS, rows);
}

const LEVEL_COLUMNS = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];

function queues(fairness: Fairness): string {
  const rows: Row[] = fairness.levels.flatMap((level) =>
    level.queues.map((q) => [
      level.name,
      q.index,
      q.waiting.length,
      q.executing,
      q.seatsInUse,
      seatSeconds(q.nextDispatch),
      q.waiting.reduce((sum, { occupant }) => sum + occupant.about.work.initialSeats, 0),
      q.waiting.reduce((sum, { occupant }) => sum + occupant.seats, 0),
      seatSeconds(q.waitingWork),
    ]),
  );
  return text(QUEUE_COLUMNS, rows);
}

const QUEUE_COLUMNS = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

const seatSeconds = (seatMilliseconds: number): string => `${(seatMilliseconds / 1000).toFixed(8)}ss`;

function requests(fairness: Fairness): string {
  const { now, monotonic } = fairness.clock;
  /** The wall clock at a monotonic time. */
  const offset = now() - monotonic();
  const wall = (at: number): string => new Date(at + offset).toISOString();
  return text(
    REQUEST_COLUMNS,
    fairness.levels.flatMap((level) => requestRows(level, wall)),
  );
}

/** The position of a queued request in its queue; -1 for executing requests. */
function requestRows(level: PriorityLevel, wall: (at: number) => string): Row[] {
  const places = new Map<Occupant, number>();
  for (const queue of level.queues)
    for (const [place, { occupant }] of queue.waiting.entries()) places.set(occupant, place);
  return [...level.occupants].map((occupant) => {
    const { schema, distinguisher, work } = occupant.about;
    return [
      level.name,
      schema,
      occupant.queue?.index ?? -1,
      places.get(occupant) ?? -1,
      distinguisher,
      wall(occupant.arrived),
      work.initialSeats,
      work.finalSeats,
      `${work.additionalMilliseconds}ms`,
      occupant.started === undefined ? '' : wall(occupant.started),
    ];
  });
}

const REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];

function text(columns: readonly string[], rows: readonly Row[]): string {
  const cells = [columns, ...rows].map((row) => row.map((cell, i) => `${cell}${i < row.length - 1 ? ',' : ''}`));
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i]! + 1) : cell)).join('');
  return `${cells.map(line).join('\n')}\n`;
}
