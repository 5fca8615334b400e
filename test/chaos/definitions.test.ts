import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Cluster, isBuilt } from './cluster.js';
import { Asker, type Outcome } from './http.js';

if (!isBuilt) console.warn('chaos skipped: dist/ is missing (npm run build)');

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'chaos.example.com';
const ROUNDS = 3;
const CHANGED = 6;
const OBJECTS = 3;
const PATIENCE = { timeout: 120_000, interval: 200 };

/** A definition with one version, or two after its change, which also adds a default. */
function definition(plural: string, isChanged: boolean): object {
  const kind = plural[0]!.toUpperCase() + plural.slice(1, -1);
  const text = { type: 'string', ...(isChanged ? { default: 'changed' } : {}) };
  const openAPIV3Schema = { type: 'object', properties: { a: text, b: { type: 'string' } } };
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema: { openAPIV3Schema } });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind },
      versions: isChanged ? [version('v1', true), version('v2', false)] : [version('v1', true)],
    },
  };
}

const bodyOf = (outcome: Outcome): Readonly<Record<string, unknown>> =>
  outcome.kind === 'answer' && outcome.status < 300 ? outcome.body : {};
const statusOf = (outcome: Outcome): number => (outcome.kind === 'answer' ? outcome.status : 0);
const namesIn = (list: Readonly<Record<string, unknown>>): string[] =>
  ((list['items'] ?? []) as { metadata: { name: string } }[]).map((o) => o.metadata.name).sort();

/** A client that lists and watches like an informer, through one peer after another. */
class Informer {
  readonly #askers: readonly Asker[];
  readonly #path: string;
  #version = '';
  #next = 0;
  #stop = (): void => {};
  #isStopped = false;
  /** The names of the objects, in the order in which they were seen. */
  readonly seen: string[] = [];

  constructor(askers: readonly Asker[], path: string, version: string) {
    this.#askers = askers;
    this.#path = path;
    this.#version = version;
    this.#watch();
  }

  #watch(): void {
    const asker = this.#askers[this.#next++ % this.#askers.length]!;
    const path = `${this.#path}?watch=true&resourceVersion=${this.#version}`;
    this.#stop = asker.stream(
      path,
      (line) => {
        const { type, object } = JSON.parse(line) as {
          type: string;
          object: { metadata: { name: string; resourceVersion: string } };
        };
        if (type !== 'ADDED') return;
        this.seen.push(object.metadata.name);
        this.#version = object.metadata.resourceVersion;
      },
      () => {
        if (!this.#isStopped) setTimeout(() => this.#watch(), 100);
      },
    );
  }

  close(): void {
    this.#isStopped = true;
    this.#stop();
  }
}

describe.skipIf(!isBuilt)('definitions that change while leaders are killed', () => {
  let cluster: Cluster;
  let askers: readonly Asker[];
  let turn = 0;
  const any = (): Asker => askers[turn++ % askers.length]!;
  const objects = (plural: string, version = 'v1') => `/apis/${GROUP}/${version}/namespaces/default/${plural}`;

  beforeAll(async () => {
    cluster = await Cluster.start();
    askers = cluster.names.map((name) => new Asker(cluster.access, cluster.url(name)));
  });
  afterAll(async () => {
    for (const asker of askers ?? []) asker.close();
    await cluster?.close();
  });

  const create = async (plural: string): Promise<void> => {
    expect([201, 409]).toContain(statusOf(await any().insist('POST', DEFINITIONS, definition(plural, false))));
  };
  /** The 404 of a group or kind that is not served has no Status. */
  const isServed = async (asker: Asker, plural: string): Promise<boolean> => {
    for (;;) {
      const found = await asker.ask('GET', objects(plural));
      if (statusOf(found) === 200) return true;
      if (statusOf(found) === 404 || (found.kind === 'unknown' && found.why.startsWith('status 404'))) return false;
    }
  };
  /** Creates an object as soon as the peer serves the kind. */
  const add = (plural: string, name: string): Promise<true> =>
    vi.waitUntil(async () => {
      const made = await any().insist('POST', objects(plural), {
        apiVersion: `${GROUP}/v1`,
        kind: plural[0]!.toUpperCase() + plural.slice(1, -1),
        metadata: { name },
      });
      return (statusOf(made) === 201 || statusOf(made) === 409) && true;
    }, PATIENCE) as Promise<true>;
  const change = (plural: string): Promise<boolean> =>
    vi.waitUntil(async () => {
      const path = `${DEFINITIONS}/${plural}.${GROUP}`;
      const found = bodyOf(await any().insist('GET', path));
      const { spec } = definition(plural, true) as { spec: object };
      return statusOf(await any().insist('PUT', path, { ...found, spec })) === 200;
    }, PATIENCE);
  const remove = async (plural: string): Promise<void> => {
    const path = `${DEFINITIONS}/${plural}.${GROUP}`;
    await any().insist('DELETE', path);
    await vi.waitUntil(async () => statusOf(await any().insist('GET', path)) === 404, PATIENCE);
  };

  it('leave equal discovery, no orphans and complete watches', async () => {
    await create('constants');
    await add('constants', 'first');
    const { metadata } = bodyOf(await any().insist('GET', objects('constants'))) as {
      metadata: { resourceVersion: string };
    };
    const informer = new Informer(askers, objects('constants'), metadata.resourceVersion);
    const changed = Array.from({ length: CHANGED }, (_, i) => `kind${i}s`);
    let kills = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const leader = await cluster.leader();
      const work = changed.map(async (plural, i) => {
        await create(plural);
        for (let n = 0; n < OBJECTS; n++) await add(plural, `o${n}`);
        if (i % 3 !== 0) await change(plural);
        // The last definitions remain, changed or not, with their objects.
        if (round < ROUNDS - 1 || i < 2) await remove(plural);
      });
      const steady = Array.from({ length: OBJECTS }, (_, n) => add('constants', `round${round}-${n}`));
      await cluster.kill(leader);
      kills++;
      await cluster.up(leader);
      await Promise.all([...work, ...steady]);
    }
    expect(kills).toBe(ROUNDS);

    // Every peer serves the same kinds.
    const documents = async (asker: Asker): Promise<string> => {
      const group = bodyOf(await asker.insist('GET', `/apis/${GROUP}`));
      const versions = ['v1', 'v2'].map(async (v) => bodyOf(await asker.insist('GET', `/apis/${GROUP}/${v}`)));
      return JSON.stringify([group, ...(await Promise.all(versions))]);
    };
    await vi.waitUntil(async () => new Set(await Promise.all(askers.map(documents))).size === 1, PATIENCE);
    const resources = JSON.parse(await documents(askers[0]!)) as { resources?: { name: string }[] }[];
    expect(resources[1]!.resources!.map((r) => r.name).sort()).toEqual(['constants', ...changed.slice(2)].sort());

    // Those that remain have all their objects, in all their versions.
    const all = Array.from({ length: OBJECTS }, (_, n) => `o${n}`);
    for (const asker of askers) {
      for (const [i, plural] of changed.entries()) {
        if (i < 2) expect(await isServed(asker, plural)).toBe(false);
        else expect(namesIn(bodyOf(await asker.insist('GET', objects(plural))))).toEqual(all);
        if (i === 2) expect(namesIn(bodyOf(await asker.insist('GET', objects(plural, 'v2'))))).toEqual(all);
      }
    }

    // A definition that was removed left no objects: they would appear again with it.
    for (const plural of changed.slice(0, 2)) {
      await create(plural);
      for (const asker of askers) {
        await vi.waitUntil(() => isServed(asker, plural), PATIENCE);
        expect(namesIn(bodyOf(await asker.insist('GET', objects(plural))))).toEqual([]);
      }
    }

    // The watch has seen each object once, although every peer was killed or lost its leader.
    const constants = namesIn(bodyOf(await any().insist('GET', objects('constants')))).filter((n) => n !== 'first');
    expect(constants).toHaveLength(ROUNDS * OBJECTS);
    await vi.waitUntil(() => informer.seen.length >= constants.length, PATIENCE);
    informer.close();
    expect([...informer.seen].sort()).toEqual(constants);
    expect(cluster.deaths).toEqual([]);
  });
});
