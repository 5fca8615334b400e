import { equalJson, isObject, type JsonObject } from '../api/index.js';
import { Slice } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import {
  compile,
  headOf,
  type Kind,
  type Registry,
  SchemaMemory,
  sameSchemas,
  storedSchemas,
} from '../registry/index.js';
import { prefixEnd } from '../storage/index.js';
import { type ConversionParts, conversionWebhook } from './conversionwebhook.js';
import { DEFINITIONS, isTrue } from './definition.js';
import { metaOf } from './meta.js';

export interface ServedDefinitions {
  /** Resolves when the kinds of all currently established definitions are served. */
  readonly ready: Promise<void>;
  /** Resolves when the kinds of all definitions that are established in the cache now are served. */
  settled(): Promise<void>;
  stop(): void;
}

/** The state of a definition from which its kind was compiled. Other changes of a definition have no effect. */
interface Source {
  /** Replaced by later objects that differ in other parts, so that no superseded one stays in memory. */
  stored: StoredObject;
  readonly spec: JsonObject;
  readonly names: JsonObject;
  readonly terminating: boolean;
}

/** Definitions that are served in one step. A step does not yield, and takes longer the more kinds there are. */
const STEP_DEFINITIONS = 64;
/** Milliseconds of compiling between two yields. */
const SLICE_TIME = 4;

/**
 * Serves the kinds of all established CustomResourceDefinitions. It runs on every peer and follows the peer's own
 * cache: a definition is served here as soon as its condition has been applied here. Changes that arrive during another
 * change are applied together.
 */
export function serveDefinitions(
  registry: Registry,
  log: (message: string, fields: Readonly<Record<string, unknown>>) => void,
  /** How conversion webhooks are called. */
  conversion: ConversionParts,
): ServedDefinitions {
  const prefix = registry.servedResources.kind(DEFINITIONS.group, DEFINITIONS.resource)?.storage.prefix;
  const served = new Map<string, { readonly source: Source; readonly kind: Kind }>();
  const memory = new SchemaMemory();
  const pending = new Set<string>();
  let working: Promise<void> | undefined;
  let stopped = false;

  const sourceOf = (name: string): Source | undefined => {
    const stored = registry.cache.collection(prefix!)?.get(prefix + name);
    if (stored === undefined) return undefined;
    const { head } = headOf(stored);
    if (!isTrue(head, 'Established')) return undefined;
    const names = isObject(head['status']) ? head['status']['acceptedNames'] : undefined;
    if (!isObject(head['spec']) || !isObject(names)) return undefined;
    return { stored, spec: head['spec'], names, terminating: metaOf(head).deleting };
  };

  const applyPending = async (): Promise<void> => {
    while (pending.size > 0 && !stopped) {
      const names = [...pending].slice(0, STEP_DEFINITIONS);
      for (const name of names) pending.delete(name);
      const set: Kind[] = [];
      const remove: Kind[] = [];
      const after: (() => void)[] = [];
      const slice = new Slice(conversion.world, registry.scheduler, SLICE_TIME);
      for (const name of names) {
        if (slice.spent()) await slice.yield();
        const source = sourceOf(name);
        const former = served.get(name);
        if (source === undefined) {
          if (former === undefined) continue;
          remove.push(former.kind);
          after.push(() => served.delete(name));
          continue;
        }
        if (former?.source.terminating === source.terminating && isSame(former.source, source)) {
          former.source.stored = source.stored;
          continue;
        }
        const kind = compile(source.spec, source.names, {
          terminating: source.terminating,
          // A definition that is only being deleted stores the same: watches of its objects see them go.
          storage: former !== undefined && isSame(former.source, source) ? former.kind.storage : undefined,
          remote: conversionWebhook(source.spec, conversion),
          schemas: storedSchemas(() => source.stored),
          memory,
        });
        // A definition cannot replace a built-in kind.
        if (former === undefined && registry.servedResources.kind(kind.group, kind.resource) !== undefined) continue;
        set.push(kind);
        after.push(() => served.set(name, { source, kind }));
      }
      if (set.length === 0 && remove.length === 0) continue;
      try {
        await registry.changeKinds({ set, remove });
        for (const f of after) f();
      } catch (error) {
        if (stopped) return;
        log('custom resources: could not change the served kinds', { definitions: names, error: String(error) });
      }
    }
  };

  /** Ends in the step that finds nothing pending: what is added later begins new work, and nothing is left behind. */
  const work = async (): Promise<void> => {
    await Promise.resolve();
    try {
      do await applyPending();
      while (pending.size > 0 && !stopped);
    } finally {
      working = undefined;
    }
  };

  const add = (names: Iterable<string>): Promise<void> => {
    for (const name of names) pending.add(name);
    working ??= work();
    return working;
  };

  if (prefix === undefined || prefix === '')
    return { ready: Promise.resolve(), settled: () => Promise.resolve(), stop: () => {} };
  const collection = registry.cache.collection(prefix);
  const unobserve = registry.cache.observe((change) => {
    if (change.prefix !== prefix) return;
    const name = (change.after ?? change.before)?.name;
    if (name !== undefined) void add([name]);
  });
  const present = collection === undefined ? [] : [...collection.snapshot().objects.range(prefix, prefixEnd(prefix))];
  return {
    ready: add(present.map((o) => o.name)),
    settled: () => working ?? Promise.resolve(),
    stop: () => {
      stopped = true;
      unobserve();
    },
  };
}

/** Whether two states of a definition make the same kind, but for what is refused while it is being deleted. */
function isSame(a: Source, b: Source): boolean {
  return equalJson(a.names, b.names) && equalJson(a.spec, b.spec) && sameSchemas(a.stored, b.stored);
}
