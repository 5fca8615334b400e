import { type JsonObject, type StoredObjects, textAt } from '../../api/index.js';
import { CURRENT } from '../../cel/index.js';
import { type CompiledPolicy, type CompileMutation, compilePolicy } from './compile.js';
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

/**
 * The policies of one kind with their bindings, sorted by name. A compiled policy is cached until its object
 * changes. The list is rebuilt when any of the objects changes.
 */
export class PolicySource {
  readonly #objects: StoredObjects;
  readonly #policies: { readonly group: string; readonly resource: string };
  readonly #bindings: { readonly group: string; readonly resource: string };
  readonly #compileMutation: CompileMutation | undefined;
  #at: unknown;
  #known: readonly BoundPolicy[] = [];
  #compiled = new Map<string, Omit<BoundPolicy, 'bindings'>>();

  constructor(objects: StoredObjects, kind: 'validating' | 'mutating', compileMutation?: CompileMutation) {
    this.#objects = objects;
    this.#policies = { group: GROUP, resource: `${kind}admissionpolicies` };
    this.#bindings = { group: GROUP, resource: `${kind}admissionpolicybindings` };
    this.#compileMutation = compileMutation;
  }

  current(): readonly BoundPolicy[] {
    const at = `${this.#objects.state(this.#policies)}/${this.#objects.state(this.#bindings)}`;
    if (at !== this.#at) {
      this.#at = at;
      this.#known = this.#read();
    }
    return this.#known;
  }

  #read(): readonly BoundPolicy[] {
    const bindings = new Map<string, Binding[]>();
    for (const object of this.#objects.list(this.#bindings, '')) {
      const policy = textAt(object, 'spec', 'policyName');
      const match = (object['spec'] as JsonObject)['matchResources'];
      const binding = { name: textAt(object, 'metadata', 'name'), object, constraints: matchConstraintsOf(match) };
      bindings.set(policy, [...(bindings.get(policy) ?? []), binding]);
    }
    const before = this.#compiled;
    this.#compiled = new Map();
    const found: BoundPolicy[] = [];
    for (const object of this.#objects.list(this.#policies, '')) {
      const name = textAt(object, 'metadata', 'name');
      const own = bindings.get(name);
      if (own === undefined) continue;
      const key = `${textAt(object, 'metadata', 'uid')}/${textAt(object, 'metadata', 'resourceVersion')}`;
      const compiled = before.get(key) ?? this.#compile(name, object);
      this.#compiled.set(key, compiled);
      found.push({ ...compiled, bindings: own });
    }
    return found;
  }

  #compile(name: string, object: JsonObject): Omit<BoundPolicy, 'bindings'> {
    const spec = object['spec'] as JsonObject;
    return {
      name,
      object,
      constraints: matchConstraintsOf(spec['matchConstraints']),
      compiled: compilePolicy(spec, CURRENT, this.#compileMutation),
    };
  }
}
