import type { Demand } from './demand.js';

/**
 * The division of the server's seats among priority levels, and their lending of unused seats (KEP-1040). All functions are pure.
 */

/** The seats in the configuration of a level. */
export interface Shares {
  readonly exempt: boolean;
  readonly nominalShares: number;
  /** Percent of the nominal seats that other levels may borrow. */
  readonly lendablePercent: number;
  /** Percent of the nominal seats that it may borrow; undefined for no limit. */
  readonly borrowingLimitPercent: number | undefined;
}

/** In seats. */
export interface SeatLimits {
  readonly nominal: number;
  /** The seats that the level keeps although it does not use them. */
  readonly lower: number;
  readonly upper: number;
}

/** Divides the seats of the server by shares, rounded up. */
export function seatLimits(levels: readonly Shares[], serverSeats: number): readonly SeatLimits[] {
  const total = levels.reduce((sum, { nominalShares }) => sum + nominalShares, 0);
  return levels.map(({ nominalShares, lendablePercent, borrowingLimitPercent, exempt }) => {
    const nominal = total === 0 ? 0 : Math.ceil((serverSeats * nominalShares) / total);
    const lower = nominal - Math.round((nominal * lendablePercent) / 100);
    const isBounded = !exempt && borrowingLimitPercent !== undefined;
    const upper = isBounded ? nominal + Math.round((nominal * borrowingLimitPercent) / 100) : serverSeats;
    return { nominal, lower, upper: Math.max(upper, nominal) };
  });
}

/**
 * The weight of the past in the smoothed demand, for an adjustment every ten seconds: half of a peak is left after five
 * minutes.
 */
const DECAY = 0.977;

/** A rising demand counts at once, a falling one decays slowly. */
export function smoothed(past: number, demand: Demand): number {
  const envelope = demand.average + demand.deviation;
  return envelope >= past ? envelope : DECAY * past + (1 - DECAY) * envelope;
}

export interface Claim extends SeatLimits {
  readonly exempt: boolean;
  readonly smoothedDemand: number;
  readonly highWatermark: number;
}

export interface Allocation {
  /** Seats of each level until the next adjustment. */
  readonly seats: readonly number[];
  readonly targets: readonly number[];
  /** The factor by which targets were scaled to use up the seats. */
  readonly fairFraction: number;
}

/**
 * Gives every level its minimum (its lower limit, or its recent peak up to the nominal limit), and the rest in
 * proportion to the smoothed demand. Seats that no level needs are distributed, too: the fraction is then above one.
 * The exempt level gets the seats that it uses.
 */
export function allocate(claims: readonly Claim[], serverSeats: number): Allocation {
  const floors = claims.map((c) =>
    c.exempt ? Math.max(c.lower, c.highWatermark) : Math.max(c.lower, Math.min(c.nominal, c.highWatermark)),
  );
  const targets = claims.map((c, i) => Math.max(floors[i]!, c.smoothedDemand));
  const open = claims.flatMap((c, i) => (c.exempt ? [] : [i]));
  const reserved = claims.reduce((sum, c, i) => (c.exempt ? sum + Math.min(floors[i]!, serverSeats) : sum), 0);
  const available = Math.max(serverSeats - reserved, 0);
  const floorSum = open.reduce((sum, i) => sum + floors[i]!, 0);
  const fairFraction = floorSum >= available ? 0 : fractionFor(available, open, floors, targets, claims);
  const seats = claims.map((c, i) => {
    if (c.exempt) return floors[i]!;
    return Math.max(Math.round(share(fairFraction, floors[i]!, targets[i]!, c.upper)), 1);
  });
  return { seats, targets, fairFraction };
}

const share = (fraction: number, floor: number, target: number, upper: number): number =>
  Math.min(Math.max(upper, floor), Math.max(floor, fraction * target));

/** Finds the fraction at which the shares add up to `available`. The sum grows with the fraction, so bisection finds it. */
function fractionFor(
  available: number,
  open: readonly number[],
  floors: readonly number[],
  targets: readonly number[],
  claims: readonly Claim[],
): number {
  const sumAt = (fraction: number): number =>
    open.reduce((sum, i) => sum + share(fraction, floors[i]!, targets[i]!, claims[i]!.upper), 0);
  let low = 0;
  let high = available + 1;
  const smallest = Math.min(...open.map((i) => targets[i]!).filter((t) => t > 0));
  if (Number.isFinite(smallest) && smallest < 1) high = (available + 1) / smallest;
  if (sumAt(high) <= available) return high;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (sumAt(middle) > available) high = middle;
    else low = middle;
  }
  return low;
}

const BISECTIONS = 60;
