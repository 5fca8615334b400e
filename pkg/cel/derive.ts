import type { Steps } from '../base/index.js';
import type { Expr } from './ast.js';

/** A production of the grammar: it yields another one where the text of that one begins, and receives its tree. */
export interface Production extends Generator<Production, Expr, Expr> {}

/** Productions of one step, which takes less than a millisecond. */
const AT_ONCE = 512;

/**
 * Runs a production in steps. Productions wait for each other on a stack of this function, and not on that of JavaScript: an expression may
 * nest deeply. An error is thrown in the production that waits for the one that failed.
 */
export function* derive(root: Production): Steps<Expr> {
  const open = [root];
  let next = root.next();
  for (let n = 1; ; n++) {
    try {
      if (next.done === true) {
        open.pop();
        const waiting = open.at(-1);
        if (waiting === undefined) return next.value;
        next = waiting.next(next.value);
      } else {
        open.push(next.value);
        next = next.value.next();
      }
    } catch (error) {
      next = unwind(open, error);
    }
    if (n % AT_ONCE === 0) yield;
  }
}

/** The last production has thrown: the nearest one that catches the error continues. */
function unwind(open: Production[], error: unknown): IteratorResult<Production, Expr> {
  let thrown = error;
  for (open.pop(); open.length > 0; open.pop()) {
    try {
      return open.at(-1)!.throw(thrown);
    } catch (next) {
      thrown = next;
    }
  }
  throw thrown;
}
