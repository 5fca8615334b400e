import type { Steps } from '../base/index.js';
import type { CallExpr, Expr } from './ast.js';

/** Nodes of one step. */
const AT_ONCE = 2_000;

/** Reports whether calls and selections nest deeper than `most`, in steps. A chain of operators nests as deep as it is long. */
export function* isDeeper(root: Expr, most: number): Steps<boolean> {
  const stack: { readonly e: Expr; readonly depth: number }[] = [{ e: root, depth: 1 }];
  let visited = 0;
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { e, depth } = top;
    if (depth > most) return true;
    if (e.kind === 'select') stack.push({ e: e.operand, depth: depth + 1 });
    else if (e.kind === 'call') for (const c of operands(e)) stack.push({ e: c, depth: depth + 1 });
    if (++visited % AT_ONCE === 0) yield;
  }
  return false;
}

function operands(e: CallExpr): readonly Expr[] {
  return e.target === undefined ? e.args : [e.target, ...e.args];
}
