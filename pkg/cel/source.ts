/** An error at a position of an expression. `offset` counts code points; -1 if the error has no position. */
export interface Issue {
  readonly offset: number;
  readonly message: string;
}

/** The errors of an expression that are shown; the others are counted. */
const SHOWN_MAX = 100;
/** A longer line is not shown below its error, in bytes. */
const SNIPPET_BYTES_MAX = 16_384;

/** The text of an expression by code points, in which positions and snippets of errors are counted. */
export class Source {
  readonly text: string;
  readonly points: readonly string[];
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.text = text;
    this.points = Array.from(text);
    const starts = [0];
    for (let i = 0; i < this.points.length; i++) if (this.points[i] === '\n') starts.push(i + 1);
    this.#lineStarts = starts;
  }

  /** The text between two offsets. */
  slice(start: number, end: number): string {
    // Without characters beyond 16 bits, offsets in both are equal.
    if (this.text.length === this.points.length) return this.text.slice(start, end);
    return this.points.slice(start, end).join('');
  }

  /** Line from 1 and column from 0. */
  location(offset: number): { readonly line: number; readonly column: number } {
    let line = 0;
    let after = this.#lineStarts.length;
    while (after - line > 1) {
      const middle = (line + after) >> 1;
      if (this.#lineStarts[middle]! <= offset) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: offset - this.#lineStarts[line]! };
  }

  /** The first issues in the order of their positions, each with its line and a caret below it, and the number of the others. */
  render(issues: readonly Issue[]): string {
    const sorted = issues
      .slice(0, SHOWN_MAX)
      .map((issue, i) => ({ issue, i }))
      .sort((a, b) => a.issue.offset - b.issue.offset || a.i - b.i);
    const shown = sorted.map(({ issue }) => this.#renderOne(issue));
    if (issues.length > SHOWN_MAX) shown.push(`${issues.length - SHOWN_MAX} more errors were truncated`);
    return shown.join('\n');
  }

  #renderOne({ offset, message }: Issue): string {
    if (offset < 0) return `ERROR: <input>:-1:0: ${message}`;
    const { line, column } = this.location(offset);
    const start = this.#lineStarts[line - 1]!;
    const next = this.#lineStarts[line];
    const end = next === undefined ? this.points.length : next - 1;
    const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
    if (end - start > SNIPPET_BYTES_MAX) return head;
    const points = this.points.slice(start, end);
    const snippet = points.join('').replaceAll('\t', ' ');
    if (Buffer.byteLength(snippet) > SNIPPET_BYTES_MAX) return head;
    const wide = (i: number) => points[i] !== undefined && points[i]! > '\u007f';
    let pointer = '';
    for (let i = 0; i < column; i++) pointer += wide(i) ? '\uff0e' : '.';
    pointer += wide(column) ? '\uff3e' : '^';
    return `${head}\n | ${snippet}\n | ${pointer}`;
  }
}
