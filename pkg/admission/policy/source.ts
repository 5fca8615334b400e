import { type JsonObject, objectAt, type StoredObjects, textAt } from '../../api/index.js';
import { Derived, type Pace, runSteps, type Steps } from '../../base/index.js';
import { CURRENT } from '../../cel/index.js';
import { type CompiledPolicy, compilePolicy, type MutationRules } from './compile.js';
import { type MatchConstraints, matchConstraintsOf } from './matching.js';

const GROUP = 'admissionregistration.k8s.io';

/** A binding with parsed constraints. */
export interface Binding {
  readonly name: string;
  readonly object: JsonObject;
  readonly constraints: MatchConstraints;
}

/** A compiled policy with its bindings. */
export interface BoundPolicy {
  readonly name: string;
  readonly object: JsonObject;
  readonly constraints: MatchConstraints;
  readonly compiled: CompiledPolicy;
  readonly bindings: readonly Binding[];
}

export interface PolicySourceWorld {
  readonly objects: StoredObjects;
  /** Decides when compiling yields. */
  readonly pace: Pace;
}

/**
 * The policies of one kind with their bindings, sorted by name. A compiled policy is cached until its object
 * changes. The list is rebuilt when any of the objects changes.
 */
export class PolicySource {
  readonly #objects: StoredObjects;
  readonly #policies: { readonly group: string; readonly resource: string };
  readonly #bindings: { readonly group: string; readonly resource: string };
  readonly #mutationRules: MutationRules | undefined;
  readonly #pace: Pace;
  /** The states of both resources at the last look, as one value. */
  #state = { policies: 0, bindings: 0 };
  readonly #known = new Derived<readonly BoundPolicy[]>('', []);
  #compiled = new Map<string, Omit<BoundPolicy, 'bindings'>>();

  constructor(world: PolicySourceWorld, kind: 'validating' | 'mutating', mutationRules?: MutationRules) {
    this.#objects = world.objects;
    this.#pace = world.pace;
    this.#policies = { group: GROUP, resource: `${kind}admissionpolicies` };
    this.#bindings = { group: GROUP, resource: `${kind}admissionpolicybindings` };
    this.#mutationRules = mutationRules;
  }

  /** A promise while changed policies are compiled, which takes several turns if they are large. */
  current(): readonly BoundPolicy[] | Promise<readonly BoundPolicy[]> {
    const policies = this.#objects.state(this.#policies);
    const bindings = this.#objects.state(this.#bindings);
    const before = this.#state;
    if (before.policies !== policies || before.bindings !== bindings) this.#state = { policies, bindings };
    return this.#known.at(this.#state, () => runSteps(this.#read(), this.#pace));
  }

  *#read(): Steps<readonly BoundPolicy[]> {
    const bindings = new Map<string, Binding[]>();
    for (const object of this.#objects.list(this.#bindings, '')) {
      const policy = textAt(object, 'spec', 'policyName');
      const match = objectAt(object, 'spec')['matchResources'];
      const binding = { name: textAt(object, 'metadata', 'name'), object, constraints: matchConstraintsOf(match) };
      bindings.set(policy, [...(bindings.get(policy) ?? []), binding]);
    }
    const before = this.#compiled;
    const after: typeof before = new Map();
    const found: BoundPolicy[] = [];
    for (const object of this.#objects.list(this.#policies, '')) {
      const name = textAt(object, 'metadata', 'name');
      const own = bindings.get(name);
      if (own === undefined) continue;
      const key = `${textAt(object, 'metadata', 'uid')}/${textAt(object, 'metadata', 'resourceVersion')}`;
      const compiled = before.get(key) ?? (yield* this.#compile(name, object));
      after.set(key, compiled);
      found.push({ ...compiled, bindings: own });
    }
    this.#compiled = after;
    return found;
  }

  *#compile(name: string, object: JsonObject): Steps<Omit<BoundPolicy, 'bindings'>> {
    const spec = objectAt(object, 'spec');
    return {
      name,
      object,
      constraints: matchConstraintsOf(spec['matchConstraints']),
      compiled: yield* compilePolicy(spec, CURRENT, this.#mutationRules),
    };
  }
}
