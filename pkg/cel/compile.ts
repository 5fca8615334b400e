import { finish, type Steps } from '../base/index.js';
import type { Expr } from './ast.js';
import { type Checked, check } from './checker.js';
import { CompileFailure } from './compiler.js';
import type { Environment } from './environment.js';
import { type Parsed, parse } from './parser.js';
import { Program } from './program.js';
import { showType, type Type } from './types.js';
import { validateLiterals } from './validators.js';
import { runtimeText } from './values.js';

/** A checked expression that can be evaluated. */
export interface Compiled {
  readonly text: string;
  readonly expr: Expr;
  readonly checked: Checked;
  readonly program: Program;
}

/**
 * Why an expression cannot be compiled. `internal`: the error is in a literal and was found while building the program.
 */
export interface CompileError {
  readonly error: string;
  readonly internal: boolean;
}

export type Compilation = Compiled | CompileError;

export function failed(c: Compilation): c is CompileError {
  return 'error' in c;
}

/** Compiles an expression. `results` are its allowed types; with `dyn` among them every type is allowed. */
export function compile(text: string, env: Environment, results?: readonly Type[]): Compilation {
  return finish(compileSteps(text, env, results));
}

/** `compile` in steps. */
export function* compileSteps(text: string, env: Environment, results?: readonly Type[]): Steps<Compilation> {
  const parsed = yield* parse(text, { macros: env.macros, optionalSyntax: env.optionalSyntax });
  if (parsed.issues.length > 0) return { error: compilationFailed(parsed, parsed.issues), internal: false };
  yield;
  const checked = yield* check(parsed.expr, env);
  yield;
  const issues = checked.issues.length > 0 ? checked.issues : yield* validateLiterals(parsed.expr, checked, env);
  if (issues.length > 0) return { error: compilationFailed(parsed, issues), internal: false };
  if (results !== undefined && !isOneOf(checked.type, results)) {
    const names = results.map(runtimeText);
    const wanted = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
    return { error: `must evaluate to ${wanted} but got ${runtimeText(checked.type)}`, internal: false };
  }
  yield;
  try {
    return { text, expr: parsed.expr, checked, program: yield* Program.of(parsed.expr, checked, env) };
  } catch (error) {
    if (!(error instanceof CompileFailure)) throw error;
    return { error: `program instantiation failed: ${error.message}`, internal: true };
  }
}

/** Returns the syntax tree of an expression with the standard macros, in steps; undefined if the syntax is invalid. */
export function* parseText(text: string, env: Environment): Steps<Expr | undefined> {
  const parsed = yield* parse(text, { macros: env.macros, optionalSyntax: env.optionalSyntax });
  return parsed.issues.length > 0 ? undefined : parsed.expr;
}

function isOneOf(found: Type, wanted: readonly Type[]): boolean {
  return wanted.some((w) => w.kind === 'dyn' || showType(w) === showType(found));
}

function compilationFailed(parsed: Parsed, issues: Parsed['issues']): string {
  return `compilation failed: ${parsed.source.render(issues)}`;
}
