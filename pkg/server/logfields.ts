/** Characters of one field of a log entry. Messages of webhooks and aggregated servers may be megabytes. */
const CHARACTERS_MAX = 2_000;

/** The fields of a log entry, with texts cut to 2,000 characters. */
export function shortened(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]),
  );
}

const cut = (text: string): string =>
  text.length > CHARACTERS_MAX
    ? `${text.slice(0, CHARACTERS_MAX)}... (${text.length - CHARACTERS_MAX} more characters)`
    : text;
