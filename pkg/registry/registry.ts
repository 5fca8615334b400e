import type { Scheduler } from '../base/index.js';
import type { Cache } from '../cache/index.js';
import type { BootstrapConfig } from './builtin/bootstrapobjects.js';
import type { KindChange, KindObserver } from './kindset.js';
import type {
  Answer,
  ConnectRequest,
  CreateRequest,
  DeleteCollectionRequest,
  Deleted,
  DeleteRequest,
  EventStream,
  GetRequest,
  ListRequest,
  ListResult,
  PatchRequest,
  RequestContext,
  UpdateRequest,
  WatchRequest,
  Written,
} from './requests.js';
import type { Backend } from './resource.js';
import type { ServedResources } from './servedresources.js';

/** The verbs. They throw an `ApiError` for a failed request. */
export interface Registry {
  /** The served resources. A request uses one snapshot from beginning to end. */
  readonly servedResources: ServedResources;
  /** Shares the turns of the event loop among long work of this server. */
  readonly scheduler: Scheduler;
  /** Calls `f` after each change of `servedResources`; returns a function that removes the observer. */
  observeKinds(f: KindObserver): () => void;
  /** Adds, replaces and removes kinds; resolves when the new ones are served. */
  changeKinds(change: KindChange): Promise<void>;
  /** The current objects and their changes, for controllers and metrics. Read only. */
  readonly cache: Cache;
  get(request: GetRequest, context: RequestContext): Promise<Answer>;
  list(request: ListRequest, context: RequestContext): Promise<ListResult>;
  watch(request: WatchRequest, context: RequestContext): Promise<EventStream>;
  create(request: CreateRequest, context: RequestContext): Promise<Written>;
  update(request: UpdateRequest, context: RequestContext): Promise<Written>;
  patch(request: PatchRequest, context: RequestContext): Promise<Written>;
  delete(request: DeleteRequest, context: RequestContext): Promise<Deleted>;
  /** Returns where the connection goes; undefined if there is no backend and this is not an error. */
  connect(request: ConnectRequest, context: RequestContext): Promise<Backend | undefined>;
  /** Throws the error of the selectors of a list, if they have one. */
  checkSelectors(request: ListRequest, context: RequestContext): Promise<void>;
  /** Returns the items that were deleted or marked. */
  deleteCollection(request: DeleteCollectionRequest, context: RequestContext): Promise<ListResult>;
  /** Creates the objects that every cluster has from the start. Existing objects do not change. */
  bootstrap(config: BootstrapConfig): Promise<void>;
  /** Creates the namespaces that every cluster has and that are missing. */
  ensureNamespaces(): Promise<void>;
  close(): Promise<void>;
}
