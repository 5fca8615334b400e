import { errors } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type { Collection, CollectionSnapshot, StoredObject } from '../cache/index.js';
import { prefixEnd } from '../storage/index.js';
import { type Continuation, decodeContinue, encodeContinue } from './continuetoken.js';
import { type Core, collectionOf, find, fresh, keyOf, notFound, notOlderThan, tooLargeVersion } from './core.js';
import { hubForm } from './hub.js';
import { limits } from './limits.js';
import { checkListOptions, parseListVersion, parseVersion } from './listoptions.js';
import type { Answer, GetRequest, ListRequest, ListResult, RequestContext, Target } from './requests.js';
import { parseSelectors, type Selected, selectInTurns } from './selection.js';
import type { ServedResource } from './servedresources.js';
import { readableHistory, refuseLost, unreadableForRead, unreadableList } from './unreadable.js';
import { listVirtual, runVirtual } from './virtual.js';

export const SHARDS_GATE = 'ShardedListAndWatch';

/** GET of one object, or of a subresource. */
export async function get(core: Core, request: GetRequest, context: RequestContext): Promise<Answer> {
  const { target } = request;
  if (target.kind === 'virtual')
    return { kind: 'value', value: await runVirtual(core, target, { verb: 'get' }, context) };
  await current(core, target, request.resourceVersion, context);
  const stored = find(core, target, target.name, unreadableForRead);
  if (stored === undefined) throw notFound(target);
  if (request.resourceVersion === '') refuseLost(core, stored);
  switch (target.kind) {
    case 'object':
    case 'status':
      return { kind: 'stored', stored };
    case 'scale':
      return { kind: 'value', value: target.scale.read(await hubForm(target.resource, stored.value())) };
    case 'action':
      return { kind: 'value', value: await runVirtual(core, target, { verb: 'get' }, context) };
    case 'collection':
    case 'connection':
      throw errors.methodNotAllowed();
  }
}

/** Waits until the cache is as new as the request requires. */
async function current(core: Core, target: Target, version: string, context: RequestContext): Promise<void> {
  if (version === '') return fresh(core, context);
  const uncached = target.resource.strategy.compatibility?.uncached === true;
  const wanted = uncached ? parseListVersion(version) : parseVersion(version);
  if (wanted > 0) await notOlderThan(core, target, wanted, context);
}

/** Throws the error of the selectors of a list, if they have one. */
export async function checkSelectors({ target, options }: ListRequest, context: RequestContext): Promise<void> {
  await selectInTurns(target, options, parseSelectors(options, context.selectors), context);
}

/** GET of a collection. */
export async function list(core: Core, request: ListRequest, context: RequestContext): Promise<ListResult> {
  const { target, options } = request;
  const { resource } = target;
  const parsed = parseSelectors(options, context.selectors);
  checkListOptions(options, core.featureEnabled(SHARDS_GATE));
  const selected = await selectInTurns(target, options, parsed, context);
  if (target.kind === 'virtual') return listVirtual(core, target, selected, context);
  const from = await startOf(core, request, selectsOne(selected), context);
  const prefix = keyOf(resource, target.namespace, '');
  const page: Page = {
    prefix,
    start: prefix + (from.continuation?.start ?? ''),
    end: prefixEnd(prefix),
    limit: from.limit,
    selected,
  };
  if (from.snapshot !== undefined) refuseUnreadable(core, resource, page);
  const found = from.snapshot !== undefined ? scan(core, from.snapshot, page) : readHistory(core, from, page, resource);
  const { items, next, remaining, fetched, evaluated } = await found;
  core.metrics.lists.listed(resource.groupResource, from.snapshot === undefined ? 'etcd' : 'watchcache', {
    fetched,
    evaluated,
    returned: items.length,
  });
  if (next === undefined) return { revision: from.revision, continue: '', remainingItemCount: undefined, items };
  if (from.snapshot !== undefined) collectionOf(core, resource).keep(from.snapshot);
  return {
    revision: from.revision,
    continue: encodeContinue({ revision: from.revision, start: next.slice(prefix.length) }),
    remainingItemCount: selected.restricted ? undefined : remaining,
    items,
  };
}

/** A list returns all objects of its range, or fails. */
function refuseUnreadable(core: Core, resource: ServedResource, { start, end }: Pick<Page, 'start' | 'end'>): void {
  const lost = collectionOf(core, resource).unreadableBetween(start, end);
  if (lost.length > 0) throw unreadableList(resource.groupResource, lost);
}

interface Page {
  readonly prefix: string;
  readonly start: string;
  readonly end: string;
  /** 0: no limit. */
  readonly limit: number;
  readonly selected: Selected;
}

interface Found {
  readonly items: readonly StoredObject[];
  /** The first key of the next page; undefined on the last page. */
  readonly next: string | undefined;
  readonly remaining: number | undefined;
  /** The number of objects that were read, and of those on which selectors were tested. */
  readonly fetched: number;
  readonly evaluated: number;
}

/** The state that a list reads: a snapshot of the cache or, without one, history at `revision`. */
interface Start {
  readonly revision: Revision;
  readonly snapshot: CollectionSnapshot | undefined;
  readonly continuation: Continuation | undefined;
  readonly limit: number;
}

/**
 * Returns the state that a list reads. Without a version: the newest acknowledged state of all peers. `0`: the current
 * state of the cache, however old. `N`: a state that is not older, or exactly this one (`Exact`, or with a limit). With
 * a continue token: the state of the first page. `one`: the list is of one key.
 */
async function startOf(
  core: Core,
  { target, options }: ListRequest,
  one: boolean,
  context: RequestContext,
): Promise<Start> {
  const collection = collectionOf(core, target.resource);
  const limit = Math.max(0, options.limit);
  const { resourceVersion } = options;
  // A list at any version has no limit, if it is one of a cache.
  const cached = target.resource.strategy.compatibility?.uncached !== true;
  if (options.continue !== '') {
    const continuation = decodeContinue(options.continue);
    if (resourceVersion !== '' && resourceVersion !== '0')
      throw errors.badRequest('specifying resource version is not allowed when using continue');
    const any = resourceVersion === '0' && cached;
    if (continuation.revision !== undefined) {
      await notOlderThan(core, target, continuation.revision, context);
      return { ...exactly(collection, continuation.revision), continuation, limit: any ? 0 : limit };
    }
    if (any) return { ...newest(collection), continuation, limit: 0 };
    await fresh(core, context);
    return { ...newest(collection), continuation, limit };
  }
  if (resourceVersion === '') {
    await fresh(core, context);
    return { ...newest(collection), continuation: undefined, limit };
  }
  const wanted = parseListVersion(resourceVersion);
  // Only the plain `0` is a list without a limit, although other spellings are the same number.
  if (wanted === 0)
    return { ...newest(collection), continuation: undefined, limit: resourceVersion === '0' && cached ? 0 : limit };
  const limited = options.resourceVersionMatch === '' && limit > 0;
  const exact = options.resourceVersionMatch === 'Exact' || (limited && !one);
  // As in kube-apiserver, the limit of one object is none, but reads the newest state of the store.
  if (limited && one) await fresh(core, context);
  // As in kube-apiserver, whose cache has no older states of single objects.
  await notOlderThan(core, target, wanted, context, one && (exact || limited));
  return { ...(exact ? exactly(collection, wanted) : newest(collection)), continuation: undefined, limit };
}

type State = Pick<Start, 'revision' | 'snapshot'>;

function newest(collection: Collection): State {
  const snapshot = collection.snapshot();
  return { revision: snapshot.revision, snapshot };
}

function exactly(collection: Collection, revision: Revision): State {
  return { revision, snapshot: collection.snapshotAt(revision) };
}

/** The number of objects examined between two readings of the clock. */
const STRIDE = 32;

async function scan(core: Core, { objects }: CollectionSnapshot, page: Page): Promise<Found> {
  const { selected, end, limit } = page;
  const start = narrowed(page);
  if (start.only) {
    const one = objects.get(start.key);
    const items = one !== undefined && one.key >= page.start && (selected.matches?.(one) ?? true) ? [one] : [];
    const fetched = one === undefined ? 0 : 1;
    return { items, ...LAST, fetched, evaluated: selected.matches === undefined ? 0 : fetched };
  }
  const items: StoredObject[] = [];
  if (selected.matches === undefined) {
    objects.collect(start.key, end, limit === 0 ? Number.MAX_SAFE_INTEGER : limit, items);
    const found = limit === 0 ? { items, ...LAST } : following(items, page, objects);
    return { ...found, fetched: items.length, evaluated: 0 };
  }
  const { clock } = core.world;
  let looked = 0;
  let since = clock.monotonic();
  for (const o of objects.range(start.key, start.end)) {
    if (++looked % STRIDE === 0 && clock.monotonic() - since > limits.scanTime) {
      await turn(core);
      since = clock.monotonic();
    }
    if (!selected.matches(o)) continue;
    items.push(o);
    if (items.length === limit) return { ...following(items, page, objects), fetched: looked, evaluated: looked };
  }
  return { items, ...LAST, fetched: looked, evaluated: looked };
}

/** Yields to the event loop once. */
const turn = (core: Core): Promise<void> => new Promise((resolve) => void core.world.timers.after(0, resolve));

const LAST = { next: undefined, remaining: undefined } as const;

function following(
  items: readonly StoredObject[],
  page: Page,
  objects: CollectionSnapshot['objects'],
): Omit<Found, 'fetched' | 'evaluated'> {
  const last = items.at(-1);
  if (last === undefined || items.length < page.limit) return { items, ...LAST };
  const next = `${last.key}\u0000`;
  const remaining = objects.count(next, page.end);
  return remaining === 0 ? { items, next: undefined, remaining: undefined } : { items, next, remaining };
}

/** Reports whether the selectors leave one key. */
function selectsOne({ name, namespaced, namespace }: Selected): boolean {
  return name !== '' && (!namespaced || namespace !== '');
}

/** Returns the range of keys that a selection by namespace or name can match. */
function narrowed({ start, end, prefix, selected }: Page): {
  readonly key: string;
  readonly end: string;
  readonly only: boolean;
} {
  const { namespace, name, resourcePrefix, namespaced } = selected;
  const within = namespaced && namespace !== '' ? `${resourcePrefix}${namespace}/` : prefix;
  if (selectsOne(selected)) return { key: within + name, end, only: true };
  if (within === prefix) return { key: start, end, only: false };
  return { key: start > within ? start : within, end: prefixEnd(within), only: false };
}

/** Reads a page of a state from history. */
async function readHistory(core: Core, from: Start, page: Page, resource: ServedResource): Promise<Found> {
  const collection = collectionOf(core, resource);
  const items: StoredObject[] = [];
  const { selected, limit, end } = page;
  let { start } = page;
  let fetched = 0;
  for (;;) {
    const want = limit === 0 ? limits.historyPageKeys : Math.min(limit - items.length, limits.historyPageKeys);
    const read = await core.keyspace.range({ start, end, revision: from.revision, limit: want });
    if (read.kind === 'compacted') throw expired(from);
    if (read.kind === 'future') throw tooLargeVersion(resource, from.revision, read.newest);
    fetched += read.items.length;
    const work = { fetched, evaluated: selected.matches === undefined ? 0 : fetched };
    for (const kv of read.items) {
      const o = readableHistory(resource.groupResource, () => collection.restore(kv));
      if (selected.matches?.(o) ?? true) items.push(o);
    }
    if (!read.more) return { items, ...LAST, ...work };
    start = `${read.items.at(-1)!.key}\u0000`;
    if (limit > 0 && items.length >= limit)
      return { items, next: start, remaining: await countHistory(core, from.revision, { start, end }), ...work };
  }
}

/** Returns the number of remaining keys in history; undefined if there are many, because counting reads them. */
async function countHistory(
  core: Core,
  revision: Revision,
  range: { readonly start: string; readonly end: string },
): Promise<number | undefined> {
  const read = await core.keyspace.range({ ...range, revision, limit: limits.historyPageKeys });
  return read.kind !== 'ok' || read.more ? undefined : read.items.length;
}

function expired(from: Start): Error {
  if (from.continuation === undefined) return errors.expired('The resourceVersion for the provided list is too old.');
  return errors.expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    { continue: encodeContinue({ revision: undefined, start: from.continuation.start }) },
  );
}
