/**
 * How many indexes a text like `0,2-4,7` names, of those below `completions`; or what is wrong with it. They are given in
 * rising order, single or as intervals.
 */
export function indexesIn(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const ends = part.split('-');
    if (ends.length > 2)
      return `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    const numbers: number[] = [];
    for (const end of ends) {
      if (!/^[+-]?\d+$/.test(end)) return `cannot convert string to integer for index: ${JSON.stringify(end)}`;
      const n = Number(end);
      if (n < 0 || n >= completions) return `too large index: ${JSON.stringify(end)}`;
      if (previous !== undefined && n <= previous) return `non-increasing order, previous: ${previous}, current: ${n}`;
      previous = n;
      numbers.push(n);
    }
    total += numbers.length === 2 ? numbers[1]! - numbers[0]! + 1 : 1;
  }
  return total;
}
