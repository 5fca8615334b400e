/**
 * Decides whether matching a regular expression takes time linear in the text, whatever the text. JavaScript's engine backtracks:
 * an expression that can match one text in many ways may try them all.
 *
 * `linear` is true for three forms that cannot do so:
 *   1. anchored at the start and deterministic: after each character at most one part of the expression can take the next. A part
 *      from which no unbounded repetition can be reached any more may be ambiguous, because it takes a bounded number of steps;
 *   2. bounded: no match, and no attempt at one, is longer than a constant;
 *   3. unanchored, but once the first unbounded repetition is reached nothing more is required, and it is deterministic: an
 *      attempt fails after a constant number of steps or takes what it has read.
 * Everything else is refused, although some of it is linear: those need a reason of their own.
 */
export function linear(source: string, flags: string): boolean {
  let parsed: Node;
  try {
    parsed = new Parser(source, flags).parse();
  } catch (error) {
    if (error instanceof Unsupported) return false;
    throw error;
  }
  const graph = new Graph(flags);
  const whole = graph.add(parsed);
  if (!graph.deterministic(whole)) return false;
  if (!graph.hasLoops()) return true;
  if (!flags.includes('m') && anchored(parsed)) return true;
  return graph.loopsEnd(whole) && !hasEnd(parsed);
}

type Node =
  | { readonly kind: 'atom'; readonly text: string }
  | { readonly kind: 'start' | 'end' | 'bounded' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number };

class Unsupported extends Error {}

/** A repeated part with more copies is not unrolled. */
const COPIES_MAX = 128;

class Parser {
  readonly #source: string;
  readonly #unicode: boolean;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#unicode = /[uv]/.test(flags);
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new Unsupported();
    return node;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) parts.push(this.#repeated());
    return { kind: 'sequence', parts };
  }

  #repeated(): Node {
    const part = this.#one();
    const m = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\?)?/.exec(this.#source.slice(this.#at));
    if (m === null) return part;
    this.#at += m[0].length;
    const [, sign, least, comma, most] = m;
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
    const max =
      sign === undefined ? (comma === '' ? min : most === '' ? Infinity : Number(most)) : sign === '?' ? 1 : Infinity;
    if (Math.max(min, max === Infinity ? 0 : max) > COPIES_MAX) throw new Unsupported();
    return { kind: 'repeat', part, min, max };
  }

  #one(): Node {
    const rest = this.#source.slice(this.#at);
    const take = (text: string): void => {
      this.#at += text.length;
    };
    if (rest[0] === '^' || rest[0] === '$') {
      take(rest[0]);
      return { kind: rest[0] === '^' ? 'start' : 'end' };
    }
    const group = /^\((?:\?(?:(:)|<[A-Za-z]\w*>|([=!]|<[=!])))?/.exec(rest);
    if (group !== null) {
      take(group[0]);
      const inner = this.#choice();
      if (this.#source[this.#at] !== ')') throw new Unsupported();
      this.#at++;
      if (group[2] === undefined) return inner;
      // A lookahead or lookbehind must be bounded.
      const graph = new Graph('');
      graph.add(inner);
      if (graph.hasLoops()) throw new Unsupported();
      return { kind: 'bounded' };
    }
    const escaped = /^\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|[\s\S])/u.exec(rest);
    if (escaped !== null) {
      if (/^\\(?:[1-9kbB])/.test(escaped[0])) throw new Unsupported();
      take(escaped[0]);
      return { kind: 'atom', text: escaped[0] };
    }
    if (rest[0] === '[') {
      const set = /^\[(?:[^\]\\]|\\[\s\S])*\]/.exec(rest);
      if (set === null) throw new Unsupported();
      take(set[0]);
      return { kind: 'atom', text: set[0] };
    }
    const character = this.#unicode ? String.fromCodePoint(rest.codePointAt(0)!) : rest[0]!;
    take(character);
    return { kind: 'atom', text: character };
  }
}

/** Whether every alternative of the expression begins with `^`. */
function anchored(node: Node): boolean {
  switch (node.kind) {
    case 'start':
      return true;
    case 'sequence':
      return node.parts.length > 0 && anchored(node.parts[0]!);
    case 'choice':
      return node.parts.every(anchored);
    default:
      return false;
  }
}

function hasEnd(node: Node): boolean {
  switch (node.kind) {
    case 'end':
      return true;
    case 'sequence':
    case 'choice':
      return node.parts.some(hasEnd);
    case 'repeat':
      return hasEnd(node.part);
    default:
      return false;
  }
}

interface Fragment {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly empty: boolean;
}

/** Positions of the atoms, and which may follow which (Glushkov's automaton). */
class Graph {
  readonly #atoms: string[] = [];
  readonly #follow: Set<number>[] = [];
  readonly #loops = new Set<number>();
  readonly #flags: string;

  constructor(flags: string) {
    this.#flags = flags.replace(/[gym]/g, '');
  }

  add(node: Node): Fragment {
    switch (node.kind) {
      case 'atom': {
        const at = this.#atoms.push(node.text) - 1;
        this.#follow.push(new Set());
        return { first: [at], last: [at], empty: false };
      }
      case 'sequence':
        return node.parts.map((p) => this.add(p)).reduce((a, b) => this.#join(a, b), EMPTY);
      case 'choice': {
        const parts = node.parts.map((p) => this.add(p));
        return {
          first: parts.flatMap((p) => p.first),
          last: parts.flatMap((p) => p.last),
          empty: parts.some((p) => p.empty),
        };
      }
      case 'repeat':
        return this.#repeat(node);
      default:
        return EMPTY;
    }
  }

  #repeat(node: Node & { kind: 'repeat' }): Fragment {
    let all = EMPTY;
    for (let i = 0; i < node.min; i++) all = this.#join(all, this.add(node.part));
    if (node.max !== Infinity) {
      // x{0,3} becomes (x(xx?)?)?: each copy is nested in the previous one.
      let tail: Fragment = EMPTY;
      for (let i = node.min; i < node.max; i++) tail = { ...this.#join(this.add(node.part), tail), empty: true };
      return this.#join(all, tail);
    }
    const from = this.#atoms.length;
    const loop = this.add(node.part);
    this.#connect(loop.last, loop.first);
    for (let at = from; at < this.#atoms.length; at++) this.#loops.add(at);
    return this.#join(all, { ...loop, empty: true });
  }

  #join(a: Fragment, b: Fragment): Fragment {
    this.#connect(a.last, b.first);
    return {
      first: a.empty ? [...a.first, ...b.first] : a.first,
      last: b.empty ? [...a.last, ...b.last] : b.last,
      empty: a.empty && b.empty,
    };
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const f of from) for (const t of to) this.#follow[f]!.add(t);
  }

  hasLoops(): boolean {
    return this.#loops.size > 0;
  }

  /** Whether nothing is required after the first unbounded repetition, so that reaching it means a match. */
  loopsEnd(whole: Fragment): boolean {
    const last = new Set(whole.last);
    return [...this.#loops].every((at) => last.has(at));
  }

  deterministic(whole: Fragment): boolean {
    const reaches = this.#reachLoops();
    const apart = (positions: readonly number[]): boolean => {
      for (const [i, a] of positions.entries())
        for (const b of positions.slice(i + 1))
          if ((reaches.has(a) || reaches.has(b)) && this.#overlap(a, b)) return false;
      return true;
    };
    return apart(whole.first) && this.#follow.every((next) => apart([...next]));
  }

  #reachLoops(): ReadonlySet<number> {
    const found = new Set(this.#loops);
    for (let grew = true; grew; ) {
      grew = false;
      for (const [at, next] of this.#follow.entries())
        if (!found.has(at) && [...next].some((n) => found.has(n))) {
          found.add(at);
          grew = true;
        }
    }
    return found;
  }

  #overlap(a: number, b: number): boolean {
    const x = this.#characters(this.#atoms[a]!);
    const y = this.#characters(this.#atoms[b]!);
    return SAMPLE.some((_, i) => x[i] === true && y[i] === true);
  }

  #characters(atom: string): readonly boolean[] {
    const pattern = new RegExp(`^(?:${atom === '/' ? '\\/' : atom})$`, this.#flags);
    return SAMPLE.map((c) => pattern.test(c));
  }
}

const EMPTY: Fragment = { first: [], last: [], empty: true };

/** One character for each class that the expressions of this tree distinguish. */
const SAMPLE: readonly string[] = [
  ...Array.from({ length: 0x180 }, (_, i) => i),
  ...[0x3bc, 0x4e00, 0x2028, 0x2029, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfeff, 0xff00, 0xfffd, 0xffff],
].map((c) => String.fromCharCode(c));
