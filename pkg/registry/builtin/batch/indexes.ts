/**
 * Counts the indexes below `completions` in a text like `0,2-4,7`, or returns the error in it. Indexes are in ascending
 * order, single or as intervals.
 */
export function indexesIn(text: string, completions: number): number | string {
  const intervals = intervalsIn(text, completions);
  return typeof intervals === 'string' ? intervals : intervals.reduce((n, [first, last]) => n + last - first + 1, 0);
}

/** Returns the indexes as intervals [first, last], or undefined when the text is invalid. */
export function indexSet(text: string, completions: number): readonly Interval[] | undefined {
  const intervals = intervalsIn(text, completions);
  return typeof intervals === 'string' ? undefined : intervals;
}

type Interval = readonly [number, number];

const isInt64 = (text: string): boolean => /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

function intervalsIn(text: string, completions: number): readonly Interval[] | string {
  const out: Interval[] = [];
  if (text === '') return out;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const ends = part.split('-');
    if (ends.length > 2)
      return `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    const numbers: number[] = [];
    for (const end of ends) {
      if (!isInt64(end)) return `cannot convert string to integer for index: ${JSON.stringify(end)}`;
      const n = Number(end);
      if (n < 0 || n >= completions) return `too large index: ${JSON.stringify(end)}`;
      if (previous !== undefined && n <= previous) return `non-increasing order, previous: ${previous}, current: ${n}`;
      previous = n;
      numbers.push(n);
    }
    out.push([numbers[0]!, numbers.at(-1)!]);
  }
  return out;
}
