import type { Steps } from './scheduler.js';

/** Items of the longest list that `sortInPlace` sorts itself. */
const FEW = 24;

/**
 * Sorts a list in place and returns it; the order of equal items does not change. Most lists are short and nearly sorted. An insertion sort costs
 * these a fraction of `Array.prototype.sort`, which copies its list into memory of its own.
 */
export function sortInPlace<T>(items: T[], compare: (a: T, b: T) => number): T[] {
  if (items.length > FEW) return isSorted(items, compare) ? items : items.sort(compare);
  for (let i = 1; i < items.length; i++) {
    const item = items[i]!;
    let at = i;
    for (; at > 0 && compare(items[at - 1]!, item) > 0; at--) items[at] = items[at - 1]!;
    items[at] = item;
  }
  return items;
}

function isSorted<T>(items: readonly T[], compare: (a: T, b: T) => number): boolean {
  for (let i = 1; i < items.length; i++) if (compare(items[i - 1]!, items[i]!) > 0) return false;
  return true;
}

/** Items that are sorted or merged in one piece. */
const AT_ONCE = 500;

/** Sorts in steps; the order of equal items does not change. Returns a new list. Items that are sorted already, or in a few runs, cost little. */
export function* sortSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  if (items.length <= AT_ONCE) return sortInPlace([...items], compare);
  let runs: T[][] = [];
  for (let from = 0; from < items.length; ) {
    let to = from + 1;
    while (to < items.length && compare(items[to - 1]!, items[to]!) <= 0) if (++to % AT_ONCE === 0) yield;
    const isRun = to - from >= AT_ONCE || to === items.length;
    if (!isRun) to = Math.min(from + AT_ONCE, items.length);
    const run = items.slice(from, to);
    runs.push(isRun ? run : run.sort(compare));
    from = to;
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [a, b] = [runs[i]!, runs[i + 1]];
      merged.push(b === undefined ? a : yield* merge(a, b, compare));
    }
    runs = merged;
  }
  return runs[0]!;
}

function* merge<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const out: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    out.push(j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0) ? a[i++]! : b[j++]!);
    if (out.length % AT_ONCE === 0) yield;
  }
  return out;
}
