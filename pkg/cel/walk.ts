import type { Steps } from '../base/index.js';
import type { Expr } from './ast.js';

/** The work on one node: it yields a sub-expression wherever it needs the result of that one, and receives it. */
export type Visit<R> = Generator<Expr, R, R>;

/** What is computed for each node of a tree. */
export interface Pass<R> {
  /** The result of a node without sub-expressions; undefined if the node must be visited. */
  leaf(e: Expr): R | undefined;
  visit(e: Expr): Visit<R>;
  /** Receives the result of each visit. */
  visited?(e: Expr, result: R): void;
}

/** Nodes of one step, which takes less than a millisecond. */
const AT_ONCE = 256;

/**
 * Visits a tree in steps and returns the result of its root. Visits wait for each other on a stack of this function, and not on that of
 * JavaScript: a tree may be thousands of nodes deep.
 */
export function* walk<R>(root: Expr, pass: Pass<R>): Steps<R> {
  const trivial = pass.leaf(root);
  if (trivial !== undefined) return trivial;
  const nodes = [root];
  const visits = [pass.visit(root)];
  let at = 0;
  let next = visits[0]!.next();
  for (let n = 1; ; n++) {
    if (next.done === true) {
      const result = next.value;
      pass.visited?.(nodes[at]!, result);
      nodes.pop();
      visits.pop();
      if (--at < 0) return result;
      next = visits[at]!.next(result);
    } else {
      const part = next.value;
      const known = pass.leaf(part);
      if (known !== undefined) next = visits[at]!.next(known);
      else {
        const visit = pass.visit(part);
        nodes.push(part);
        visits.push(visit);
        at++;
        next = visit.next();
      }
    }
    if (n % AT_ONCE === 0) yield;
  }
}

/** Visits several sub-expressions in order. */
export function* each<R>(parts: readonly Expr[]): Generator<Expr, R[], R> {
  const results: R[] = [];
  for (const part of parts) results.push(yield part);
  return results;
}
