/**
 * A unified diff as kube-apiserver writes it: the longest matching blocks are found first, so that the hunks are the
 * same text. (Libraries for Node find the fewest changes, which places lines appended to a list differently, for
 * example.)
 */

/** Comparison steps after which the rest counts as replaced: some tens of milliseconds at most, for any input. */
const STEPS_MAX = 500_000;
const CONTEXT_LINES = 3;
/**
 * If there are at least this many lines, lines that are more than a hundredth of all (`null`, braces) do not begin a
 * match.
 */
const MANY_LINES = 200;

/** `before[from..to)` became `after[fromAfter..toAfter)`: they are equal, or one replaces the other. */
interface Run {
  readonly equal: boolean;
  readonly from: number;
  readonly to: number;
  readonly fromAfter: number;
  readonly toAfter: number;
}

interface Block {
  readonly from: number;
  readonly fromAfter: number;
  readonly size: number;
}

/**
 * Returns hunks without file headers: `@@ -3,7 +3,7 @@` and lines that begin with a blank, `-` or `+`. Empty if nothing
 * differs.
 */
export function unifiedDiff(before: readonly string[], after: readonly string[], stepsMax = STEPS_MAX): string {
  const out: string[] = [];
  for (const hunk of hunks(runs(before, after, stepsMax))) {
    const [first, last] = [hunk[0]!, hunk.at(-1)!];
    out.push(`@@ -${range(first.from, last.to)} +${range(first.fromAfter, last.toAfter)} @@\n`);
    for (const r of hunk) {
      for (let i = r.from; i < r.to; i++) out.push(`${r.equal ? ' ' : '-'}${before[i]}\n`);
      if (!r.equal) for (let i = r.fromAfter; i < r.toAfter; i++) out.push(`+${after[i]}\n`);
    }
  }
  return out.join('');
}

function range(from: number, to: number): string {
  const lines = to - from;
  if (lines === 1) return String(from + 1);
  return `${lines === 0 ? from : from + 1},${lines}`;
}

/** Changes with their context; changes closer than twice the context share a hunk. */
function hunks(all: readonly Run[]): readonly (readonly Run[])[] {
  const found: Run[][] = [];
  let hunk: Run[] = [];
  for (const [i, run] of all.entries()) {
    if (!run.equal) {
      hunk.push(run);
      continue;
    }
    const [isFirst, isLast] = [i === 0, i === all.length - 1];
    if (!isFirst && !isLast && run.to - run.from <= 2 * CONTEXT_LINES) {
      hunk.push(run);
      continue;
    }
    if (!isFirst) {
      found.push([...hunk, head(run)]);
      hunk = [];
    }
    if (!isLast) hunk.push(tail(run));
  }
  if (hunk.some((r) => !r.equal)) found.push(hunk);
  return found;
}

function head(run: Run): Run {
  const size = Math.min(CONTEXT_LINES, run.to - run.from);
  return { ...run, to: run.from + size, toAfter: run.fromAfter + size };
}

function tail(run: Run): Run {
  const size = Math.min(CONTEXT_LINES, run.to - run.from);
  return { ...run, from: run.to - size, fromAfter: run.toAfter - size };
}

function runs(before: readonly string[], after: readonly string[], stepsMax: number): readonly Run[] {
  const out: Run[] = [];
  let [i, j] = [0, 0];
  const end: Block = { from: before.length, fromAfter: after.length, size: 0 };
  for (const { from, fromAfter, size } of [...matchingBlocks(before, after, stepsMax), end]) {
    if (i < from || j < fromAfter) out.push({ equal: false, from: i, to: from, fromAfter: j, toAfter: fromAfter });
    [i, j] = [from + size, fromAfter + size];
    const last = out.at(-1);
    if (size === 0) continue;
    // adjacent blocks are one
    if (last?.equal) out[out.length - 1] = { ...last, to: i, toAfter: j };
    else out.push({ equal: true, from, to: i, fromAfter, toAfter: j });
  }
  return out;
}

/** Equal blocks in order: the longest of all, then the longest before and after it, and so on. */
function matchingBlocks(before: readonly string[], after: readonly string[], stepsMax: number): readonly Block[] {
  const places = placesOf(after);
  const found: Block[] = [];
  const open = [{ from: 0, to: before.length, fromAfter: 0, toAfter: after.length }];
  const steps = { left: stepsMax };
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const block = longestMatch(before, after, part, places, steps);
    if (block.size === 0) continue;
    found.push(block);
    const [end, endAfter] = [block.from + block.size, block.fromAfter + block.size];
    if (part.from < block.from && part.fromAfter < block.fromAfter)
      open.push({ ...part, to: block.from, toAfter: block.fromAfter });
    if (end < part.to && endAfter < part.toAfter) open.push({ ...part, from: end, fromAfter: endAfter });
  }
  return found.sort((a, b) => a.from - b.from);
}

function placesOf(after: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [j, line] of after.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [j]);
    else known.push(j);
  }
  if (after.length < MANY_LINES) return places;
  const most = Math.floor(after.length / 100) + 1;
  return new Map([...places].filter(([, at]) => at.length <= most));
}

function longestMatch(
  before: readonly string[],
  after: readonly string[],
  part: Omit<Run, 'equal'>,
  places: ReadonlyMap<string, readonly number[]>,
  steps: { left: number },
): Block {
  let [from, fromAfter, size] = [part.from, part.fromAfter, 0];
  // lengths of the matches that end at line j of `after` and the previous line of `before`
  let ending = new Map<number, number>();
  for (let i = part.from; i < part.to && steps.left > 0; i++) {
    const next = new Map<number, number>();
    const at = places.get(before[i]!) ?? [];
    steps.left -= 1 + at.length;
    for (const j of at) {
      if (j < part.fromAfter) continue;
      if (j >= part.toAfter) break;
      const length = (ending.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [from, fromAfter, size] = [i - length + 1, j - length + 1, length];
    }
    ending = next;
  }
  // common lines begin no match, but extend one that is adjacent to them
  while (from > part.from && fromAfter > part.fromAfter && before[from - 1] === after[fromAfter - 1]) {
    from--;
    fromAfter--;
    size++;
  }
  while (from + size < part.to && fromAfter + size < part.toAfter && before[from + size] === after[fromAfter + size])
    size++;
  return { from, fromAfter, size };
}
