import {
  type CompiledPolicy,
  compileConditions,
  compilePolicy,
  type ExpressionIssue,
  mutationRules,
} from '../../../admission/index.js';
import type { FieldErrors, FieldPath, JsonObject, Shaped, Value } from '../../../api/index.js';
import type { Steps } from '../../../base/index.js';
import { COMPATIBLE, CURRENT } from '../../../cel/index.js';
import type { shapes } from '../../../schema/index.js';

/** The problems of an object's expressions, keyed by the path from its spec to the field. */
export class Expressions {
  readonly #issues: ReadonlyMap<string, ExpressionIssue>;

  private constructor(issues: readonly ExpressionIssue[]) {
    this.#issues = new Map(issues.map((issue) => [keyOf(issue), issue]));
  }

  /** In steps. `old` is the spec before the write. Its expressions may keep using features that are new in this release. */
  static ofPolicy(
    spec: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicySpec>,
    old: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicySpec> | undefined,
  ): Steps<Expressions> {
    return Expressions.#judged(old, (minor) => compilePolicy(spec, minor, mutationRules));
  }

  /** Checks the match conditions of a webhook, in steps. */
  static ofConditions(
    holder: Shaped<shapes.AdmissionregistrationV1MutatingWebhook | shapes.AdmissionregistrationV1ValidatingWebhook>,
    old: JsonObject | undefined,
  ): Steps<Expressions> {
    return Expressions.#judged(old, (minor) => compileConditions(holder, minor));
  }

  static *#judged(
    old: Shaped<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicySpec> | undefined,
    compile: (minor: number) => Steps<CompiledPolicy>,
  ): Steps<Expressions> {
    const { issues } = yield* compile(COMPATIBLE);
    if (old === undefined || issues.length === 0) return new Expressions(issues);
    const before = expressionsIn(old);
    const stillWrong = new Set((yield* compile(CURRENT)).issues.map(keyOf));
    return new Expressions(issues.filter((i) => !before.has(i.expression) || stillWrong.has(keyOf(i))));
  }

  /** Reports the problems of the expression at this path. */
  report(errors: FieldErrors, path: FieldPath, value: string, ...steps: readonly (string | number)[]): void {
    const issue = this.#issues.get(JSON.stringify(steps));
    if (issue === undefined) return;
    if (issue.internal) errors.internal(path, issue.error);
    else errors.invalid(path, value, issue.error);
  }
}

const keyOf = (issue: ExpressionIssue) => JSON.stringify(issue.path);

/** Collects all strings in fields that hold expressions. */
function expressionsIn(
  value: Value<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicySpec>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (v: Value<shapes.AdmissionregistrationV1beta1MutatingAdmissionPolicySpec>): void => {
    if (Array.isArray(v)) for (const item of v) walk(item);
    else if (v !== null && typeof v === 'object')
      for (const [key, inner] of Object.entries(v as JsonObject)) {
        if (typeof inner === 'string' && /xpression$/.test(key)) found.add(inner);
        else walk(inner);
      }
  };
  walk(value);
  return found;
}
