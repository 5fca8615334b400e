import { ApiError, errors, type JsonObject, requiredValue } from '../api/index.js';
import type { OrderedView, Revision } from '../base/index.js';
import type { StoredObject } from '../cache/index.js';
import { prefixEnd } from '../storage/index.js';
import { ConvertedStream } from './convertedstream.js';
import { type Core, collectionOf, fresh, notOlderThan } from './core.js';
import { FailedStream } from './failedstream.js';
import { createFramer, failureFrame } from './framer.js';
import { checkedWatchOptions, parseVersion } from './listoptions.js';
import { SHARDS_GATE } from './read.js';
import type { EventStream, RequestContext, Target, WatchOptions, WatchRequest } from './requests.js';
import { type ParsedSelectors, parseSelectors, type Selected, selectInTurns } from './selection.js';
import { unreadableList } from './unreadable.js';

/**
 * Opens a watch. It begins with the existing objects (`sendInitialEvents`, or a legacy client without a version) or
 * after a version. If the client allows bookmarks, a bookmark marks the end of the initial events.
 */
export async function watch(core: Core, request: WatchRequest, context: RequestContext): Promise<EventStream> {
  const { target, representation, websocket = false } = request;
  const parsed = parseSelectors(request.options, context.selectors);
  const options = checkedWatchOptions(request.options, core.featureEnabled(SHARDS_GATE));
  const selected = named(await selectInTurns(target, options, parsed, context), options);
  checkName(parsed, options);
  const collection = collectionOf(core, target.resource);
  const form = { representation, websocket };
  const after = await startOf(core, target, options, context);
  if (after instanceof ApiError) return new FailedStream(failureFrame(form, after.status as unknown as JsonObject));
  const { prefix } = target.resource.storage;
  const lost = collection.unreadableBetween(prefix, prefixEnd(prefix));
  if (lost.length > 0) throw unreadableList(target.resource.groupResource, lost);
  const listed = options.sendInitialEvents === true;
  // A watch of version 0 has the existing objects, too, unless it declines them; but no bookmark tells their end.
  const initial = listed || (after === undefined && options.sendInitialEvents === undefined);
  const { resource } = target;
  const uncached = resource.strategy.compatibility?.uncached === true;
  // The log may still have later events, but kube-apiserver asks its store alone.
  if (uncached && !initial && after !== undefined && after + 1 < core.keyspace.status().compacted)
    return new FailedStream(failureFrame(form, tooOldForStore().status as unknown as JsonObject));
  const state = initial || after === undefined ? collection.snapshot() : undefined;
  const framer = createFramer(target, form, core.world);
  const failed = (status: JsonObject): Buffer => failureFrame(form, status);
  const expired = (oldest: Revision): Buffer => {
    const gone = uncached ? tooOldForStore() : errors.expired(`too old resource version: ${after ?? 0} (${oldest})`);
    return failed(gone.status as unknown as JsonObject);
  };
  const start = {
    selection: selected,
    after: state === undefined ? after! : state.revision,
    initial: initial ? objects(state!.objects, selected) : undefined,
    initialEnd: listed && options.allowBookmarks,
    bookmarks: options.allowBookmarks,
  };
  if (resource.declaration.remote === undefined) return collection.watch({ ...start, framer, expired });
  const stream = new ConvertedStream(resource, framer, failed);
  const collector = stream.collector(`converted ${core.world.random.uuid()}`);
  return stream.attach(
    collection.watch({ ...start, framer: collector, expired: (oldest) => stream.raw(expired(oldest), true) }),
  );
}

const tooOldForStore = (): ApiError => errors.expired('The resourceVersion for the provided watch is too old.');

/** A field selector of a watch of one object must select its name. */
function checkName({ fields }: ParsedSelectors, { name }: WatchOptions): void {
  if (name !== '' && fields.length > 0 && requiredValue(fields, 'metadata.name') !== name)
    throw errors.badRequest("fieldSelector metadata.name doesn't match requested name");
}

/** The name that a legacy watch of one object selects. */
function named(selected: Selected, options: WatchOptions): Selected {
  if (options.name === '') return selected;
  const { name } = options;
  const inner = selected.matches;
  return {
    ...selected,
    id: `${selected.id}|${name}`,
    name,
    matches: (o) => o.name === name && (inner === undefined || inner(o)),
  };
}

/** Returns the version after which the watch begins; undefined for the current one. A watch from a version that does not come begins, and fails. */
async function startOf(
  core: Core,
  target: Target,
  options: WatchOptions,
  context: RequestContext,
): Promise<Revision | undefined | ApiError> {
  if (options.resourceVersion === '') {
    await fresh(core, context);
    return undefined;
  }
  const wanted = parseVersion(options.resourceVersion);
  if (wanted === 0) return undefined;
  if (options.sendInitialEvents !== true) return wanted;
  try {
    await notOlderThan(core, target, wanted, context);
    return wanted;
  } catch (e) {
    if (!(e instanceof ApiError) || e.status.reason !== 'Timeout') throw e;
    // Unlike a list, a watch tells the client of every kind to retry.
    return errors.tooLargeResourceVersion(wanted, core.cache.applied, true);
  }
}

/**
 * Yields the initial objects of a watch, and undefined for each object that is not selected, so that the caller can
 * yield in between.
 */
function* objects(state: OrderedView<StoredObject>, selected: Selected): IterableIterator<StoredObject | undefined> {
  const { resourcePrefix, namespaced, namespace, name } = selected;
  const prefix = namespaced && namespace !== '' ? `${resourcePrefix}${namespace}/` : resourcePrefix;
  if (name !== '' && (!namespaced || namespace !== '')) {
    const one = state.get(prefix + name);
    if (one !== undefined && (selected.matches?.(one) ?? true)) yield one;
    return;
  }
  for (const o of state.range(prefix, prefixEnd(prefix))) yield (selected.matches?.(o) ?? true) ? o : undefined;
}
