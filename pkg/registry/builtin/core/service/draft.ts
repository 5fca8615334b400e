import { type Revision, revision, type World } from '../../../../base/index.js';
import type { Compare, Op } from '../../../../storage/index.js';
import type { AllocationMetrics } from '../../../allocationmetrics.js';
import type { Reader, WriteContext } from '../../../resource.js';

/** What allocation adds to the transaction of a service. Nothing is allocated before that is committed, so a refusal leaves nothing behind. */
export interface Draft {
  readonly compares: Compare[];
  readonly ops: Op[];
}

/** One write for which values are allocated. */
export interface Work {
  readonly store: Reader;
  readonly context: WriteContext;
  readonly draft: Draft;
}

/** The metrics of allocations; undefined in a dry run, which allocates nothing. */
export const allocationMetrics = ({ context }: Work): AllocationMetrics | undefined =>
  context.dryRun ? undefined : context.metrics?.allocations;

/** The comparison of a key that must not exist. */
export const ABSENT: Revision = revision(0);

/** The number of random attempts before a scan of the whole range. */
export const RANDOM_TRIES = 16;

/** Returns a random integer of 64 bits. */
export function randomInteger(world: World): bigint {
  let n = 0n;
  for (const byte of world.random.bytes(8)) n = (n << 8n) | BigInt(byte);
  return n;
}
