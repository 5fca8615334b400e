import type { Catalogue } from './catalogue.js';
import type {
  Answer,
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

/** The verbs. Every failure that a client is to be told about is thrown as `ApiError`. */
export interface Registry {
  readonly catalogue: Catalogue;
  get(request: GetRequest, context: RequestContext): Promise<Answer>;
  list(request: ListRequest, context: RequestContext): Promise<ListResult>;
  watch(request: WatchRequest, context: RequestContext): Promise<EventStream>;
  create(request: CreateRequest, context: RequestContext): Promise<Written>;
  update(request: UpdateRequest, context: RequestContext): Promise<Written>;
  patch(request: PatchRequest, context: RequestContext): Promise<Written>;
  delete(request: DeleteRequest, context: RequestContext): Promise<Deleted>;
  /** The items that were deleted (or marked). */
  deleteCollection(request: DeleteCollectionRequest, context: RequestContext): Promise<ListResult>;
  close(): Promise<void>;
}
