/** Text in JSON. */
export type Json = string;

/** Text that many events have, with its bytes: copying them costs less than encoding the text again. */
export interface Piece {
  readonly text: Json;
  readonly bytes: Uint8Array;
}

export const piece = (text: Json): Piece => ({ text, bytes: Buffer.from(text) });

/** Receives the text of an event in parts, in order. */
export interface EventWriter {
  piece(known: Piece): void;
  /** Letters, digits and punctuation of ASCII that JSON does not escape. */
  plain(text: string): void;
  json(text: Json): void;
  /** A text as a JSON string. */
  quoted(text: string): void;
  /** A time as by `microTime`. */
  time(ms: number): void;
}

/** Collects the text of an event in a string. */
export class EventText implements EventWriter {
  text: Json = '';

  piece({ text }: Piece): void {
    this.text += text;
  }

  plain(text: string): void {
    this.text += text;
  }

  json(text: Json): void {
    this.text += text;
  }

  quoted(text: string): void {
    this.text += quote(text);
  }

  time(ms: number): void {
    this.text += microTime(ms);
  }
}

/** Most names and paths have only these characters, and then a test is cheaper than `JSON.stringify`. */
const PLAIN = /^[\w./:?=&%,+~ -]*$/;

/** Whether a text has only characters of ASCII that JSON does not escape. May be false for others of these. */
export const isPlain = (text: string): boolean => PLAIN.test(text);

export const quote = (text: string): Json => (isPlain(text) ? `"${text}"` : JSON.stringify(text));

let lastSecond = Number.NaN;
let lastSecondPiece = piece('');

/** RFC 3339 to the second and the dot after it. Events follow each other closely, so that the last one is kept. */
export function secondPiece(second: number): Piece {
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondPiece = piece(new Date(second * 1000).toISOString().slice(0, 20));
  }
  return lastSecondPiece;
}

/** The microseconds of a time in milliseconds since its second began, below a million. */
export const microsOf = (ms: number, second: number): number =>
  Math.min(999_999, Math.floor((ms - second * 1000) * 1000));

/** RFC 3339 with microseconds: `2026-01-02T03:04:05.678901Z`. `ms` may have a fraction. */
export function microTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  return `${secondPiece(second).text}${String(microsOf(ms, second)).padStart(6, '0')}Z`;
}
