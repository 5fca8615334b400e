/** The bounds of the cache. Each comment states what happens at the bound. */
export const cacheLimits = {
  /** Bytes of one slab. Objects larger than a quarter of a slab are allocated separately. */
  slabBytes: 1024 * 1024,
  /** A slab whose live share falls below this value is emptied into the current one. */
  slabLiveShareMin: 0.75,
  /** Events in the log of one resource. The oldest are dropped; a cursor that needs them replays history from the keyspace. */
  logEventsMax: 16_384,
  /** Bytes of the objects that the log of one resource holds. The oldest events are dropped. */
  logBytesMax: 16 * 1024 * 1024,
  /** Joined batches that one group keeps for slower cursors. The oldest are dropped, and joined again when needed. */
  watchGroupBatchesMax: 32,
  /** Bytes of history read ahead for one cursor. At the bound reading stops until the cursor has taken them. */
  replayBytesMax: 1024 * 1024,
  /** Keys per page while the cache fills. */
  fillPageKeys: 1_000,
  /** Calls that wait for a revision. Further reads are refused as overload. */
  revisionWaitersMax: 20_000,
  /** Snapshots kept for each resource, so that the pages of a list read one state. The oldest are dropped; pages then read history. */
  snapshotsKept: 4,
  /** Bytes of objects superseded since a snapshot was taken, which the snapshot may hold in memory. Beyond, the snapshot is dropped. */
  snapshotChurnBytesMax: 32 * 1024 * 1024,
  /** Distinct label sets that are interned. At the bound all are dropped. */
  labelSetsMax: 20_000,
  /** Bytes of the encodings kept with objects (protobuf, CBOR, other versions). Beyond, unused ones are dropped. */
  encodingsBytesMax: 48 * 1024 * 1024,
  /** Milliseconds after its last use during which an encoding is not evicted. A new encoding that finds no room is not kept. */
  encodingKeptTime: 30_000,
  /** Encodings examined to find room for a new one, and milliseconds until the next attempt if there was none. */
  encodingsLookedAt: 64,
  encodingsLookInterval: 20,
  /** Estimated bytes of overhead of one such buffer: its object and its bookkeeping in the garbage collector. */
  encodingOverheadBytes: 300,
  /** Parsed objects that are kept for other readers, and bytes of their JSON. The oldest are dropped. One larger object is kept alone. */
  sharedValuesMax: 128,
  sharedValueBytesMax: 1024 * 1024,
  /** Attempts to load the state before the cache gives up. Compaction may overtake an attempt. */
  loadAttempts: 5,
} as const;
