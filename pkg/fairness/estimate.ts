import type { Work } from './level.js';

/** The attributes of a request that its estimate depends on. Sizes are those of the stored resource. */
export interface WorkRequest {
  readonly verb: string;
  /** A list of one object, selected by its name. */
  readonly isSingle: boolean;
  /** A watch that begins with the existing objects, or a list. */
  readonly sendsObjects: boolean;
  /** Undefined for resources that are not stored here. */
  readonly stored: StoredSize | undefined;
  /** The parameter `limit` of a list; 0 for none. */
  readonly limit: number;
  /** Whether watchers see the write as an event. */
  readonly causesEvents: boolean;
  /** Watches that may see the write. */
  readonly watchers: number;
}

export interface StoredSize {
  readonly objects: number;
  readonly bytesAverage: number;
}

/** Bytes of objects for each seat, as in kube-apiserver. */
const BYTES_PER_SEAT = 100_000;
const LIST_SEATS_MAX = 100;
/** Lists are streamed from the cache, so the memory of one list is bounded. */
const LIST_BYTES_MAX = 1_000_000;
const WATCHERS_PER_SEAT = 10;
const WRITE_SEATS_MAX = 10;
/** The time in which one seat delivers an event to `WATCHERS_PER_SEAT` watchers. */
const EVENT_MILLISECONDS = 5;

const ONE_SEAT: Work = { initialSeats: 1, finalSeats: 0, additionalMilliseconds: 0 };

/**
 * Estimates the seats of a request as kube-apiserver does: lists and initial watches by the bytes that they read, writes by the watchers that
 * they wake. `seatsMax` is the limit of the priority level.
 */
export function estimateWork(request: WorkRequest, seatsMax: number): Work {
  switch (request.verb) {
    case 'list':
    case 'watch':
      return request.sendsObjects ? listWork(request, Math.min(seatsMax, LIST_SEATS_MAX)) : ONE_SEAT;
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return request.causesEvents ? writeWork(request.watchers, Math.min(seatsMax, WRITE_SEATS_MAX)) : ONE_SEAT;
    default:
      return ONE_SEAT;
  }
}

function listWork({ isSingle, stored, limit }: WorkRequest, seatsMax: number): Work {
  if (stored === undefined) return ONE_SEAT;
  const page = limit > 0 ? Math.min(limit, stored.objects) : stored.objects;
  const bytes = Math.min((isSingle ? 1 : page) * stored.bytesAverage, LIST_BYTES_MAX);
  const seats = Math.min(Math.max(Math.ceil(bytes / BYTES_PER_SEAT), 1), Math.max(seatsMax, 1));
  return seats === 1 ? ONE_SEAT : { ...ONE_SEAT, initialSeats: seats };
}

function writeWork(watchers: number, seatsMax: number): Work {
  if (watchers < WATCHERS_PER_SEAT) return ONE_SEAT;
  const wanted = Math.ceil(watchers / WATCHERS_PER_SEAT);
  const finalSeats = Math.min(wanted, Math.max(seatsMax, 1));
  return { initialSeats: 1, finalSeats, additionalMilliseconds: (wanted * EVENT_MILLISECONDS) / finalSeats };
}
