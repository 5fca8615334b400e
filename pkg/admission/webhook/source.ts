import { type JsonObject, listAt, numberAt, objectAt, objectsAt, type StoredObjects, textAt } from '../../api/index.js';
import { Derived, type Pace, runSteps, type Steps } from '../../base/index.js';
import { CURRENT } from '../../cel/index.js';
import { type CompiledPolicy, compileConditions } from '../policy/compile.js';
import { type MatchConstraints, selectorOf } from '../policy/matching.js';

const GROUP = 'admissionregistration.k8s.io';

/** One webhook of a configuration. */
export interface Webhook {
  readonly name: string;
  /** The name of the configuration. */
  readonly configuration: string;
  /** Distinguishes webhooks of the same name: `configuration/name/0`. */
  readonly id: string;
  readonly clientConfig: JsonObject;
  readonly constraints: MatchConstraints;
  readonly compiled: Pick<CompiledPolicy, 'conditions'>;
  readonly ignoresFailures: boolean;
  readonly sideEffects: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly reviewVersions: readonly string[];
  readonly reinvokes: boolean;
}

/**
 * The webhooks of all configurations of one kind, sorted by the names of the configurations. Read again when one
 * changes.
 */
export class WebhookSource {
  readonly #objects: StoredObjects;
  readonly #resource: { readonly group: string; readonly resource: string };
  readonly #known = new Derived<readonly Webhook[]>('', []);
  readonly #pace: Pace;
  #byVersion = new Map<string, readonly Webhook[]>();

  constructor(world: { readonly objects: StoredObjects; readonly pace: Pace }, kind: 'mutating' | 'validating') {
    this.#objects = world.objects;
    this.#pace = world.pace;
    this.#resource = { group: GROUP, resource: `${kind}webhookconfigurations` };
  }

  /** A promise while changed configurations are compiled, which takes several turns if they are large. */
  current(): readonly Webhook[] | Promise<readonly Webhook[]> {
    return this.#known.at(this.#objects.state(this.#resource), () => runSteps(this.#read(), this.#pace));
  }

  /** The webhooks of an unchanged configuration are the same values, with their connections. */
  *#read(): Steps<readonly Webhook[]> {
    const before = this.#byVersion;
    const after: typeof before = new Map();
    const found: Webhook[] = [];
    for (const object of this.#objects.list(this.#resource, '')) {
      const key = `${textAt(object, 'metadata', 'uid')}/${textAt(object, 'metadata', 'resourceVersion')}`;
      const webhooks = before.get(key) ?? (yield* webhooksOf(object));
      after.set(key, webhooks);
      found.push(...webhooks);
    }
    this.#byVersion = after;
    return found;
  }
}

function* webhooksOf(object: JsonObject): Steps<readonly Webhook[]> {
  const configuration = textAt(object, 'metadata', 'name');
  const seen = new Map<string, number>();
  const webhooks: Webhook[] = [];
  for (const w of objectsAt(object, 'webhooks')) {
    const name = textAt(w, 'name');
    const n = seen.get(name) ?? 0;
    seen.set(name, n + 1);
    webhooks.push({
      name,
      configuration,
      id: `${configuration}/${name}/${n}`,
      clientConfig: objectAt(w, 'clientConfig') as JsonObject,
      constraints: {
        namespaceSelector: selectorOf(objectAt(w, 'namespaceSelector')),
        objectSelector: selectorOf(objectAt(w, 'objectSelector')),
        rules: objectsAt(w, 'rules'),
        excludeRules: [],
        equivalent: textAt(w, 'matchPolicy') !== 'Exact',
      },
      compiled: yield* compileConditions(w, CURRENT),
      ignoresFailures: textAt(w, 'failurePolicy') === 'Ignore',
      sideEffects: textAt(w, 'sideEffects'),
      timeout: (numberAt(w, 'timeoutSeconds') ?? 10) * 1000,
      reviewVersions: listAt(w, 'admissionReviewVersions').map(String),
      reinvokes: textAt(w, 'reinvocationPolicy') === 'IfNeeded',
    });
  }
  return webhooks;
}
