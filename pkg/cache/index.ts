export { Cache, type CacheOptions, type CollectionRequest, NotServed, type PreparedCollection } from './cache.js';
export type { Collection, CollectionSnapshot, ObservedChange, WatchStart } from './collection.js';
export type { Cursor } from './cursor.js';
export type { EventType, Framer, Frames } from './frames.js';
export type { Labels, StoredObject } from './object.js';
export { sealSharedValues } from './sharedvalues.js';
export { NotDecodable, NotReadable, type UnreadableObject } from './unreadable.js';
export type { Selection } from './watchgroup.js';
