import type { JsonObject } from '../../api/index.js';
import type { Bench } from '../../registry/testing.js';
import type { Keyspace } from '../../storage/index.js';
import type { Cluster } from '../cluster.js';
import type { Controller, ControllerContext } from '../controller.js';
import { metaIn, openScene } from './scene.js';

/** Work of one controller that the death of the leader may interrupt. */
export interface ResumeCase {
  readonly name: string;
  readonly make: (context: ControllerContext, keyspace: Keyspace) => Controller;
  /** The writes of users, before the first controller starts. */
  readonly act: (bench: Bench) => Promise<unknown>;
  /** Resources whose end state is compared. */
  readonly resources: readonly string[];
  /** What else is compared. */
  readonly more?: (bench: Bench) => Promise<unknown>;
}

/** The requests of a leader that dies: `writes` counts those that change something, to its death. */
interface Leader {
  readonly cluster: Cluster;
  readonly keyspace: Keyspace;
  readonly writes: number;
}

/** A leader that dies before or after write number `at`: it gets no answer to later requests. */
function leaderUntil(
  at: number,
  when: 'before' | 'after',
  { cluster, keyspace }: Pick<Leader, 'cluster' | 'keyspace'>,
): Leader {
  let writes = 0;
  let dead = false;
  const never = <T>(): Promise<T> => new Promise(() => {});
  const write = async <T>(f: () => Promise<T>): Promise<T> => {
    if (dead) return never();
    writes++;
    if (writes !== at) return f();
    dead = true;
    if (when === 'after') await f();
    return never();
  };
  const isEvent = (resource: { readonly resource: string }): boolean => resource.resource === 'events';
  return {
    get writes() {
      return writes;
    },
    cluster: {
      ...cluster,
      get: (place) => (dead ? never() : cluster.get(place)),
      create: (resource, namespace, object) =>
        isEvent(resource)
          ? cluster.create(resource, namespace, object)
          : write(() => cluster.create(resource, namespace, object)),
      patch: (place, subresource, patch) => write(() => cluster.patch(place, subresource, patch)),
      apply: (place, subresource, configuration) => write(() => cluster.apply(place, subresource, configuration)),
      replace: (place, subresource, object) => write(() => cluster.replace(place, subresource, object)),
      delete: (place, options) => write(() => cluster.delete(place, options)),
      deleteCollection: (resource, namespace, isDue) =>
        write(() => cluster.deleteCollection(resource, namespace, isDue)),
    },
    keyspace: {
      txn: (txn) => write(() => keyspace.txn(txn)),
      readIndex: () => keyspace.readIndex(),
      range: (request) => keyspace.range(request),
      watch: (request, sink) => keyspace.watch(request, sink),
      compact: (revision) => keyspace.compact(revision),
      status: () => keyspace.status(),
      close: () => keyspace.close(),
    },
  };
}

/**
 * Runs a case in which the leader dies. Returns the end state without random values, and the number of writes of the first leader.
 */
export async function runResumed(
  of: ResumeCase,
  at: number,
  when: 'before' | 'after',
): Promise<{ readonly state: unknown; readonly writes: number }> {
  const { bench, context, start, work } = await openScene();
  await of.act(bench);
  const leader = leaderUntil(at, when, { cluster: context.cluster, keyspace: bench.keyspace });
  const first = await start(of.make({ ...context, cluster: leader.cluster }, leader.keyspace));
  await work(2);
  first.stop();
  const { writes } = leader;
  await start(of.make(context, bench.keyspace));
  await work(3);
  const state: unknown[] = [];
  for (const resource of of.resources) {
    const { items } = await bench.list(resource, '');
    state.push(items.map(withoutChance).sort());
  }
  if (of.more !== undefined) state.push(await of.more(bench));
  return { state, writes };
}

/** Generated names, uids, versions and times differ from run to run. */
function withoutChance(o: JsonObject): string {
  const { name, uid, resourceVersion, creationTimestamp, managedFields, ...meta } = metaIn(o);
  const shown = { ...o, metadata: { ...meta, ...(meta['generateName'] === undefined ? { name: name! } : {}) } };
  return JSON.stringify(shown)
    .replaceAll(/"uid":"[^"]*"/g, '')
    .replaceAll(/"[a-zA-Z]*(Time|Timestamp|Added)":"[^"]*"/g, '')
    .replaceAll(/"resourceVersion":"[^"]*"/g, '')
    .replaceAll(/"observedGeneration":\d+|"generation":\d+/g, '')
    .replaceAll(/"endpoints.kubernetes.io\/last-change-trigger-time":"[^"]*"/g, '');
}
