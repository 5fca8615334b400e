/** The five fields of a cron schedule: names and value ranges. */
const FIELDS: readonly {
  readonly min: number;
  readonly max: number;
  readonly names?: Readonly<Record<string, number>>;
}[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: { jan: 1, feb: 2, mar: 3, apr: 4, may: 5, jun: 6, jul: 7, aug: 8, sep: 9, oct: 10, nov: 11, dec: 12 },
  },
  { min: 0, max: 6, names: { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 } },
];

const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** Returns the error in a schedule, or undefined when it is well formed. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) {
    if (DESCRIPTORS.includes(schedule) || /^@every \S+$/.test(schedule)) return undefined;
    return `unrecognized descriptor: ${schedule}`;
  }
  const fields = schedule.split(/\s+/).filter((f) => f !== '');
  if (fields.length !== FIELDS.length)
    return `expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [i, field] of fields.entries()) {
    for (const part of field.split(',')) {
      const problem = partProblem(part, FIELDS[i]!);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** Parses `*`, `?`, `3` or `1-5`, each with an optional `/step`. */
function partProblem(part: string, { min, max, names }: (typeof FIELDS)[number]): string | undefined {
  const [range = '', step, ...more] = part.split('/');
  if (more.length > 0) return `too many slashes: ${part}`;
  const ends = range.split('-');
  let from = min;
  let to = max;
  if (ends[0] !== '*' && ends[0] !== '?') {
    if (ends.length > 2) return `too many hyphens: ${part}`;
    const numbers: number[] = [];
    for (const end of ends) {
      const n = names?.[end.toLowerCase()] ?? numberOf(end);
      if (typeof n === 'string') return n;
      numbers.push(n);
    }
    from = numbers[0]!;
    to = numbers[1] ?? (step === undefined ? from : max);
  }
  if (step !== undefined) {
    const n = numberOf(step);
    if (typeof n === 'string') return n;
    if (n === 0) return `step of range should be a positive number: ${part}`;
  }
  if (from < min) return `beginning of range (${from}) below minimum (${min}): ${part}`;
  if (to > max) return `end of range (${to}) above maximum (${max}): ${part}`;
  if (from > to) return `beginning of range (${from}) beyond end of range (${to}): ${part}`;
  return undefined;
}

function numberOf(text: string): number | string {
  if (!/^[+-]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  const n = Number(text);
  return n < 0 ? `negative number (${n}) not allowed: ${text}` : n;
}
