import type { Steps } from '../base/index.js';
import { type CallExpr, children, type Expr } from './ast.js';
import type { Checked } from './checker.js';
import type { Environment } from './environment.js';
import { refusal, scanFormat } from './library/format.js';
import { compilePattern } from './library/regex.js';
import type { Issue } from './source.js';
import { DYN, showType, type Type } from './types.js';
import { isError, runtimeName, type Value } from './values.js';

/** Nodes of one step. */
const AT_ONCE = 1_000;

/**
 * Checks literals beyond the type checker, in steps: durations, timestamps, patterns, format strings, and that all elements of a
 * list or map literal have one type.
 */
export function* validateLiterals(root: Expr, checked: Checked, env: Environment): Steps<readonly Issue[]> {
  const issues: Issue[] = [];
  const stack = [{ e: root, isExempt: false }];
  let visited = 0;
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { e, isExempt } = top;
    if (e.kind === 'call') checkCall(e, checked, env, issues);
    if (!isExempt) checkAggregate(e, checked, issues);
    // The arguments of format() may differ in type.
    const inner = isExempt || (e.kind === 'call' && e.name === 'format' && e.target !== undefined);
    for (const child of children(e)) stack.push({ e: child, isExempt: inner });
    if (++visited % AT_ONCE === 0) yield;
  }
  return issues;
}

function checkCall(e: CallExpr, checked: Checked, env: Environment, issues: Issue[]): void {
  const literal = (arg: Expr | undefined) =>
    arg?.kind === 'literal' && typeof arg.value === 'string' ? arg.value : undefined;
  if (e.name === 'duration' || e.name === 'timestamp') {
    const arg = e.args[0];
    const isChecked = arg?.kind === 'literal' && (typeof arg.value === 'string' || typeof arg.value === 'bigint');
    if (e.target === undefined && e.args.length === 1 && isChecked && isError(call(env, e.name, arg.value)))
      issues.push({ offset: e.args[0]!.offset, message: `invalid ${e.name} argument` });
  } else if (e.name === 'matches') {
    // As in cel-go, this is the text, not the pattern, of `matches(text, pattern)`: that pattern is checked with the program.
    const pattern = e.args[0]!;
    const text = literal(pattern);
    if (text !== undefined && typeof compilePattern(text) === 'string')
      issues.push({ offset: pattern.offset, message: 'invalid matches argument' });
  } else if (e.name === 'format' && e.target !== undefined) checkFormat(e, checked, issues);
}

function call(env: Environment, name: string, argument: Value): Value {
  return env.functions.get(name)!.call(argument);
}

/** A literal format string is parsed when the expression is compiled. */
function checkFormat(e: CallExpr, checked: Checked, issues: Issue[]): void {
  const template = e.target;
  const args = e.args[0];
  if (template?.kind !== 'literal' || typeof template.value !== 'string' || args?.kind !== 'list') return;
  let next = 0;
  for (const part of scanFormat(template.value)) {
    if (part.clause === undefined && part.error === undefined) continue;
    if (part.error !== undefined) {
      const message = part.verb === '' ? 'unexpected end of string' : part.error;
      issues.push({ offset: e.offset, message });
      return;
    }
    const arg = args.elements[next];
    if (arg === undefined) {
      issues.push({ offset: e.offset, message: `index ${next} out of range` });
      return;
    }
    next++;
    const wrong =
      part.verb === 's' ? unshown(arg, checked) : TAKEN[part.verb!]!(typeOf(arg, checked).kind) ? undefined : arg;
    if (wrong !== undefined) {
      const message = `error during formatting: ${refusal(part.verb!, runtimeName(typeOf(wrong, checked)))}`;
      issues.push({ offset: wrong.offset, message });
      return;
    }
  }
  const given = args.elements.length;
  if (given > next)
    issues.push({
      offset: e.offset,
      message: `too many arguments supplied to string.format (expected ${next}, got ${given})`,
    });
}

const typeOf = (e: Expr, checked: Checked): Type => checked.types.get(e.id) ?? DYN;

const takes = (...kinds: readonly Type['kind'][]): ((kind: Type['kind']) => boolean) => {
  const taken = new Set<Type['kind']>(['dyn', 'error', ...kinds]);
  return (kind) => taken.has(kind);
};

/** The types that a clause takes. A string may be the text of infinity or NaN. */
const TAKEN: Readonly<Record<string, (kind: Type['kind']) => boolean>> = {
  s: takes(
    ...(['null', 'bool', 'int', 'uint', 'double', 'string', 'bytes'] as const),
    ...(['timestamp', 'duration', 'list', 'map', 'type'] as const),
  ),
  d: takes('int', 'uint'),
  f: takes('double', 'string'),
  e: takes('double', 'string'),
  b: takes('int', 'uint', 'bool'),
  o: takes('int', 'uint'),
  x: takes('int', 'uint', 'string', 'bytes'),
  X: takes('int', 'uint', 'string', 'bytes'),
};

/** The first part of an argument of %s, within list and map literals, whose type has no text. */
function unshown(e: Expr, checked: Checked): Expr | undefined {
  if (!TAKEN['s']!(typeOf(e, checked).kind)) return e;
  const parts =
    e.kind === 'list' ? e.elements : e.kind === 'map' ? e.entries.flatMap(({ key, value }) => [key, value]) : [];
  for (const part of parts) {
    const wrong = unshown(part, checked);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function checkAggregate(e: Expr, checked: Checked, issues: Issue[]): void {
  if (e.kind === 'list')
    checkSame(
      e.elements.filter((_, i) => !e.optional.has(i)),
      checked,
      issues,
    );
  else if (e.kind === 'map') {
    const [first] = e.entries;
    const value = e.entries.find((entry) => !entry.optional)?.value;
    for (const entry of e.entries) {
      checkSame([first!.key, entry.key], checked, issues);
      if (!entry.optional) checkSame([value!, entry.value], checked, issues);
    }
  }
}

/** Reports the first element that has another type than the first one. */
function checkSame(elements: readonly Expr[], checked: Checked, issues: Issue[]): void {
  let expected: string | undefined;
  for (const element of elements) {
    const type = checked.types.get(element.id);
    if (type === undefined) continue;
    const shown = showType(type);
    expected ??= shown;
    if (shown === expected) continue;
    issues.push({ offset: element.offset, message: `expected type '${expected}' but found '${shown}'` });
    return;
  }
}
