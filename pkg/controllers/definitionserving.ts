import { equalJson, isObject, type JsonObject } from '../api/index.js';
import { compile, type Kind, type Registry } from '../registry/index.js';
import { prefixEnd } from '../storage/index.js';
import { type ConversionParts, conversionWebhook } from './conversionwebhook.js';
import { DEFINITIONS, isTrue } from './definition.js';
import { metaOf } from './meta.js';

export interface ServedDefinitions {
  /** Resolves when the kinds of all currently established definitions are served. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** The parts of a definition from which its kind is compiled. Other changes of a definition have no effect. */
interface Source {
  readonly spec: JsonObject;
  readonly names: JsonObject;
  readonly terminating: boolean;
}

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
  const pending = new Set<string>();
  let working: Promise<void> | undefined;
  let stopped = false;

  const sourceOf = (name: string): Source | undefined => {
    const d = registry.cache
      .collection(prefix!)
      ?.get(prefix + name)
      ?.parse();
    if (d === undefined || !isTrue(d, 'Established')) return undefined;
    const names = isObject(d['status']) ? d['status']['acceptedNames'] : undefined;
    if (!isObject(d['spec']) || !isObject(names)) return undefined;
    return { spec: d['spec'], names, terminating: metaOf(d).deleting };
  };

  const applyPending = async (): Promise<void> => {
    while (pending.size > 0 && !stopped) {
      const names = [...pending];
      pending.clear();
      const set: Kind[] = [];
      const remove: Kind[] = [];
      const after: (() => void)[] = [];
      for (const name of names) {
        const source = sourceOf(name);
        const former = served.get(name);
        if (source === undefined) {
          if (former === undefined) continue;
          remove.push(former.kind);
          after.push(() => served.delete(name));
          continue;
        }
        if (former !== undefined && isSame(former.source, source)) continue;
        const kind = compile(source.spec, source.names, {
          terminating: source.terminating,
          remote: conversionWebhook(source.spec, conversion),
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

  const add = (names: Iterable<string>): Promise<void> => {
    for (const name of names) pending.add(name);
    working ??= applyPending().finally(() => {
      working = undefined;
    });
    return working;
  };

  if (prefix === undefined || prefix === '') return { ready: Promise.resolve(), stop: () => {} };
  const collection = registry.cache.collection(prefix);
  const unobserve = registry.cache.observe((change) => {
    if (change.prefix !== prefix) return;
    const name = (change.after ?? change.before)?.name;
    if (name !== undefined) void add([name]);
  });
  const present = collection === undefined ? [] : [...collection.snapshot().objects.range(prefix, prefixEnd(prefix))];
  return {
    ready: add(present.map((o) => o.name)),
    stop: () => {
      stopped = true;
      unobserve();
    },
  };
}

function isSame(a: Source, b: Source): boolean {
  return a.terminating === b.terminating && equalJson(a.names, b.names) && equalJson(a.spec, b.spec);
}
