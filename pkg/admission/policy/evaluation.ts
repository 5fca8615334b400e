import type { AdmissionObjects, AdmissionRequest, AdmissionSubject, JsonObject } from '../../api/index.js';
import {
  authorizerValue,
  CelError,
  type CheckMemo,
  type Compilation,
  type Execution,
  failed,
  fromJson,
  isError,
  JsonMap,
  Opaque,
  type Outcome,
  type Pace,
  type Program,
  resourceCheckValue,
  Suspended,
  type Value,
} from '../../cel/index.js';
import type { PolicyVariable } from './compile.js';
import { VARIABLES_TYPE } from './environment.js';

/** Cost limits for one expression, and for all expressions of one policy for one request and parameter. */
const EXPRESSION_COST_MAX = 1_000_000;
export const POLICY_COST_MAX = 10_000_000;

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Thrown when a policy exceeds its cost budget. */
export class OutOfBudget extends Error {
  constructor() {
    super(OUT_OF_BUDGET);
  }
}

export interface Inputs {
  readonly request: AdmissionRequest;
  /** The objects and the resource in the version that the policy matches. */
  readonly matched: AdmissionObjects;
  readonly params: JsonObject | null;
  readonly namespace: JsonObject | undefined;
  readonly checks: CheckMemo | undefined;
  readonly variables: readonly PolicyVariable[];
}

/** The saved state of an interrupted Evaluation. */
interface Progress {
  readonly executions: Map<Program, Execution>;
  readonly variables: Map<string, { readonly value: Value; readonly cost: number }>;
}

/** The progress of work that makes several Evaluations, in the same order each time that it runs. */
export class Attempts {
  readonly pace: Pace;
  readonly #progress: Progress[] = [];
  readonly #times = new Map<string, { readonly began: number; took: number | undefined }>();
  #next = 0;

  constructor(pace: Pace) {
    this.pace = pace;
  }

  restart(): void {
    this.#next = 0;
  }

  /** Runs one step, named by `key`. `took`: milliseconds from its first attempt to its end. */
  timed<T>(key: string, now: () => number, run: () => T): { readonly value: T; readonly took: number } {
    const time = this.#times.get(key) ?? { began: now(), took: undefined };
    this.#times.set(key, time);
    const value = run();
    time.took ??= now() - time.began;
    return { value, took: time.took };
  }

  progress(): Progress {
    const found = this.#progress[this.#next] ?? { executions: new Map(), variables: new Map() };
    this.#progress[this.#next++] = found;
    return found;
  }
}

/** The expressions of one policy, evaluated on one request with one budget. */
export class Evaluation {
  readonly #inputs: Inputs;
  readonly #pace: Pace;
  readonly #progress: Progress;
  readonly #fixed: ReadonlyMap<string, Value>;
  #budget: number;

  constructor(inputs: Inputs, attempts: Attempts, budget = POLICY_COST_MAX) {
    this.#inputs = inputs;
    this.#pace = attempts.pace;
    this.#progress = attempts.progress();
    this.#budget = budget;
    for (const { cost } of this.#progress.variables.values()) this.#budget -= cost;
    this.#fixed = fixedValues(inputs);
  }

  get budget(): number {
    return this.#budget;
  }

  /** Returns the value or error of an expression. Throws OutOfBudget, or Suspended while a decision is pending. */
  evaluate(compiled: Compilation, expression: string): Value {
    if (failed(compiled)) return new CelError(`compilation error: ${compiled.error}`);
    const found = this.#run(compiled);
    return isError(found) ? new CelError(`expression '${expression}' resulted in error: ${found.message}`) : found;
  }

  #run(compiled: Compilation): Value {
    if (failed(compiled)) return new CelError(compiled.error);
    const { value, cost } = this.#outcome(compiled.program);
    this.#spend(cost);
    return value;
  }

  #outcome(program: Program): Outcome {
    const { executions } = this.#progress;
    let execution = executions.get(program);
    if (execution === undefined) {
      execution = program.begin((name) => this.#variable(name), EXPRESSION_COST_MAX, this.#pace);
      executions.set(program, execution);
    }
    return execution.run();
  }

  #spend(cost: number): void {
    this.#budget -= cost;
    if (this.#budget < 0) throw new OutOfBudget();
  }

  #variable(name: string): Value | undefined {
    return name === 'variables' ? new Variables(this) : this.#fixed.get(name);
  }

  /** The value of a variable of the policy, computed when an expression first reads it. */
  composed(name: string): Value | undefined {
    const { variables } = this.#progress;
    const known = variables.get(name);
    if (known !== undefined) return known.value;
    let declared: PolicyVariable | undefined;
    for (const v of this.#inputs.variables) if (v.name === name) declared = v;
    if (declared === undefined) return undefined;
    const { compiled } = declared;
    const found = failed(compiled) ? { value: new CelError(compiled.error), cost: 0 } : this.#outcome(compiled.program);
    const value = isError(found.value)
      ? new CelError(`composited variable "${name}" fails to evaluate: ${found.value.message}`)
      : found.value;
    variables.set(name, { value, cost: found.cost });
    this.#spend(found.cost);
    return value;
  }
}

class Variables extends Opaque {
  readonly #evaluation: Evaluation;

  constructor(evaluation: Evaluation) {
    super();
    this.#evaluation = evaluation;
  }

  get typeName(): string {
    return VARIABLES_TYPE;
  }

  equals(other: Value): boolean {
    return other === this;
  }

  override field(name: string): Value | undefined {
    return this.#evaluation.composed(name);
  }
}

function fixedValues({ request, matched, params, namespace, checks }: Inputs): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>([
    ['object', objectValue(matched.object)],
    ['oldObject', objectValue(matched.old)],
    ['request', fromJson(requestJson(request, matched.subject))],
    ['params', params === null ? null : fromJson(params)],
    ['namespaceObject', namespace === undefined ? null : fromJson(namespaceJson(namespace))],
  ]);
  if (checks !== undefined) {
    values.set('authorizer', authorizerValue(checks));
    const { group, resource } = request.requested.resource;
    const { subresource, name } = request;
    values.set(
      'authorizer.requestResource',
      resourceCheckValue(checks, { group, resource, subresource, namespace: namespaceAsSeen(request), name }),
    );
  }
  return values;
}

function objectValue(o: JsonObject | undefined): Value {
  return o === undefined ? null : new JsonMap(o);
}

/** The AdmissionRequest of admission.k8s.io/v1 that describes the request, without its objects. */
export function requestJson(request: AdmissionRequest, matched: AdmissionSubject): JsonObject {
  const { user, requested, subresource, name } = request;
  const namespace = namespaceAsSeen(request);
  return {
    kind: { ...matched.kind },
    resource: { ...matched.resource },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: { ...requested.kind },
    requestResource: { ...requested.resource },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: request.operation.toUpperCase(),
    userInfo: {
      username: user.name,
      ...(user.uid === undefined || user.uid === '' ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: [...user.groups] }),
      ...(user.extra === undefined
        ? {}
        : { extra: Object.fromEntries(Object.entries(user.extra).map(([k, v]) => [k, [...v]])) }),
    },
    dryRun: request.dryRun,
    options: request.options,
  };
}

/** A Namespace object counts as in the namespace that it defines. */
function namespaceAsSeen({ groupResource, namespace, name }: AdmissionRequest): string {
  return groupResource.group === '' && groupResource.resource === 'namespaces' ? name : namespace;
}

const NAMESPACE_METADATA = [
  ...[
    'name',
    'generateName',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
  ],
  ...['deletionGracePeriodSeconds', 'labels', 'annotations', 'finalizers'],
];

function namespaceJson(namespace: JsonObject): JsonObject {
  const metadata = (namespace['metadata'] ?? {}) as JsonObject;
  const kept = NAMESPACE_METADATA.filter((f) => metadata[f] !== undefined).map((f) => [f, metadata[f]!] as const);
  return {
    metadata: Object.fromEntries(kept),
    ...(namespace['spec'] === undefined ? {} : { spec: namespace['spec'] }),
    ...(namespace['status'] === undefined ? {} : { status: namespace['status'] }),
  };
}

/**
 * Runs `evaluate` until no authorizer decision is pending, and yields between its time slices. Each run continues where
 * the previous one was interrupted.
 */
export async function settled<T>(pace: Pace, evaluate: (attempts: Attempts) => T): Promise<T> {
  const attempts = new Attempts(pace);
  for (;;) {
    try {
      attempts.restart();
      return evaluate(attempts);
    } catch (error) {
      if (!(error instanceof Suspended)) throw error;
      await error.until;
    }
  }
}
