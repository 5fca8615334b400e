import type { RE2JS } from 're2js';
import type { Steps } from '../base/index.js';
import { apiLimits } from './limits.js';

/*
 * Searches with a regular expression in steps. The engine of the expressions (re2js) cannot pause, and a search in a text of hundreds of
 * kilobytes may take half a second. These searches run the program that it compiled: all alternatives at once, one character after the other
 * (Pike's machine, in Russ Cox, "Regular Expression Matching: the Virtual Machine Approach"). They find the match that the engine finds.
 */

/** Operations of a compiled program, as the engine numbers them. */
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
const RUNE1 = 9;
const RUNE_ANY = 10;
const RUNE_ANY_NOT_NL = 11;

interface Instruction {
  readonly op: number;
  readonly out: number;
  /** The second alternative of `ALT`, the conditions of `EMPTY_WIDTH`. */
  readonly arg: number;
  matchRune(rune: number): boolean;
}

interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

/** Conditions on a place between two characters. */
const BEGIN_LINE = 1;
const END_LINE = 2;
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

const NEW_LINE = 10;
/** Before the first and after the last character. */
const OUTSIDE = -1;

/** Alternatives that are followed in one step: some tenths of a millisecond. */
const AT_ONCE = 10_000;

export interface TextMatch {
  readonly start: number;
  readonly end: number;
}

/** Whether a search takes so long that it should run in steps. `size`: that of the pattern (`patternSize`). */
export const isLongSearch = (text: string, size: number): boolean => text.length * size > apiLimits.patternStepsAtOnce;

/** Where the search after a match begins: after an empty one, a character later. */
export function afterMatch(text: string, { start, end }: TextMatch): number {
  return end > start ? end : end + (runeAt(text, end) > 0xffff ? 2 : 1);
}

/** Finds the first match at or after `from`; undefined if there is none. */
export function* searchSteps(expression: RE2JS, text: string, from = 0): Steps<TextMatch | undefined> {
  if (from > text.length) return undefined;
  const program = programOf(expression);
  let running = new Threads(program);
  let next = new Threads(program);
  let found: TextMatch | undefined;
  let rune = runeAt(text, from);
  let place = placeBetween(runeBefore(text, from), rune);
  let followed = 0;
  for (let at = from; ; ) {
    // A match that begins later has the lowest priority.
    if (found === undefined) running.add(program.start, at, place);
    if (running.count === 0 && found !== undefined) return found;
    const width = rune > 0xffff ? 2 : 1;
    const after = rune === OUTSIDE ? OUTSIDE : runeAt(text, at + width);
    const placeAfter = placeBetween(rune, after);
    for (let i = 0; i < running.count; i++) {
      const instruction = program.inst[running.instructions[i]!]!;
      const start = running.starts[i]!;
      if (instruction.op === MATCH) {
        found = { start, end: at };
        // The others have a lower priority.
        break;
      }
      if (rune !== OUTSIDE && accepts(instruction, rune)) next.add(instruction.out, start, placeAfter);
    }
    if (rune === OUTSIDE) return found;
    followed += running.visited + 1;
    if (followed > AT_ONCE) {
      followed = 0;
      yield;
    }
    [running, next] = [next, running];
    next.clear();
    at += width;
    rune = after;
    place = placeAfter;
  }
}

/** The engine keeps the program in a field that its types do not list. */
function programOf(expression: RE2JS): Program {
  return (expression as unknown as { readonly re2Input: { readonly prog: Program } }).re2Input.prog;
}

/** The alternatives at one place of the text, by priority, each with the start of its match. */
class Threads {
  readonly #program: Program;
  readonly instructions: Int32Array;
  readonly starts: Int32Array;
  count = 0;
  /** Instructions visited at this place. */
  visited = 0;
  /** The place at which an instruction was visited last. */
  readonly #visitedAt: Int32Array;
  #now = 1;
  readonly #stack: number[] = [];

  constructor(program: Program) {
    this.#program = program;
    this.instructions = new Int32Array(program.inst.length);
    this.starts = new Int32Array(program.inst.length);
    this.#visitedAt = new Int32Array(program.inst.length);
  }

  clear(): void {
    this.count = 0;
    this.visited = 0;
    this.#now++;
  }

  /** Adds what follows from an instruction without a character. */
  add(instruction: number, start: number, place: number): void {
    const stack = this.#stack;
    stack.push(instruction);
    while (stack.length > 0) {
      const number = stack.pop()!;
      if (this.#visitedAt[number] === this.#now) continue;
      this.#visitedAt[number] = this.#now;
      this.visited++;
      const { op, out, arg } = this.#program.inst[number]!;
      switch (op) {
        case ALT:
        case ALT_MATCH:
          stack.push(arg, out);
          break;
        case EMPTY_WIDTH:
          if ((arg & ~place) === 0) stack.push(out);
          break;
        case CAPTURE:
        case NOP:
          stack.push(out);
          break;
        case MATCH:
        case RUNE:
        case RUNE1:
        case RUNE_ANY:
        case RUNE_ANY_NOT_NL:
          this.instructions[this.count] = number;
          this.starts[this.count++] = start;
          break;
      }
    }
  }
}

function accepts(instruction: Instruction, rune: number): boolean {
  if (instruction.op === RUNE_ANY) return true;
  return instruction.op === RUNE_ANY_NOT_NL ? rune !== NEW_LINE : instruction.matchRune(rune);
}

const runeAt = (text: string, at: number): number => text.codePointAt(at) ?? OUTSIDE;

function runeBefore(text: string, at: number): number {
  if (at === 0) return OUTSIDE;
  const last = text.charCodeAt(at - 1);
  const isPair = last >= 0xdc00 && last <= 0xdfff && (text.codePointAt(at - 2) ?? 0) > 0xffff;
  return isPair ? text.codePointAt(at - 2)! : last;
}

function placeBetween(before: number, after: number): number {
  let place = isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY;
  if (before === OUTSIDE) place |= BEGIN_TEXT | BEGIN_LINE;
  else if (before === NEW_LINE) place |= BEGIN_LINE;
  if (after === OUTSIDE) place |= END_TEXT | END_LINE;
  else if (after === NEW_LINE) place |= END_LINE;
  return place;
}

/** ASCII letters, digits and the underscore. */
function isWord(rune: number): boolean {
  if (rune >= 0x30 && rune <= 0x39) return true;
  const letter = rune | 0x20;
  return (letter >= 0x61 && letter <= 0x7a && rune < 0x7b) || rune === 0x5f;
}
