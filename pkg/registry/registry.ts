import type { Cache } from '../cache/index.js';
import type { BootstrapConfig } from './builtin/bootstrapobjects.js';
import type { Catalogue } from './catalogue.js';
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

/** The verbs. Failures that the client must see are thrown as `ApiError`. */
export interface Registry {
  /** What is served now. A request works with one snapshot from beginning to end. */
  readonly catalogue: Catalogue;
  /** Calls `f` after every change of `catalogue`; returns the function that ends it. */
  observeKinds(f: KindObserver): () => void;
  /** Adds, replaces and removes kinds; resolves when the new ones are served. */
  changeKinds(change: KindChange): Promise<void>;
  /** Current objects and their changes, for controllers and metrics: read only. */
  readonly cache: Cache;
  get(request: GetRequest, context: RequestContext): Promise<Answer>;
  list(request: ListRequest, context: RequestContext): Promise<ListResult>;
  watch(request: WatchRequest, context: RequestContext): Promise<EventStream>;
  create(request: CreateRequest, context: RequestContext): Promise<Written>;
  update(request: UpdateRequest, context: RequestContext): Promise<Written>;
  patch(request: PatchRequest, context: RequestContext): Promise<Written>;
  delete(request: DeleteRequest, context: RequestContext): Promise<Deleted>;
  /** Resolves where there is nothing to connect to. */
  connect(request: ConnectRequest, context: RequestContext): Promise<void>;
  /** The items that were deleted (or marked). */
  deleteCollection(request: DeleteCollectionRequest, context: RequestContext): Promise<ListResult>;
  /** Makes what every cluster has from its first moment; leaves alone what is there. */
  bootstrap(config: BootstrapConfig): Promise<void>;
  close(): Promise<void>;
}
