/** Bounds of the cache; each with what happens at it. */
export const cacheLimits = {
  /** Bytes of one slab. Objects larger than a quarter of it get memory of their own. */
  slabBytes: 256 * 1024,
  /** A slab whose living part falls below this share is emptied into the current one. */
  slabLiveShareMin: 0.75,
  /** Events that one resource remembers. The oldest go; a cursor that needs them replays history from the keyspace. */
  logEventsMax: 16_384,
  /** Bytes of the objects that one resource's remembered events hold. The oldest events go. */
  logBytesMax: 16 * 1024 * 1024,
  /** Joined batches that one lane remembers for cursors behind the first. The oldest go and are joined again if asked for. */
  laneBatchesMax: 32,
  /** Bytes of history read ahead for one replaying cursor; at the bound the reading stops until the cursor has drained it. */
  replayBytesMax: 1024 * 1024,
  /** Keys per page while the cache fills. */
  fillPageKeys: 1_000,
  /** Callers waiting for a revision. Beyond, reads are refused as overload. */
  revisionWaitersMax: 20_000,
  /** Snapshots kept per resource so that the pages of a list read one state; the oldest go, and its pages then read history. */
  snapshotsKept: 4,
  /** Bytes of objects superseded since a kept snapshot was taken, all of which it may hold on to; beyond, it goes. */
  snapshotChurnBytesMax: 32 * 1024 * 1024,
  /** Distinct label sets remembered so that equal ones are one object in memory; forgotten all at once at the bound. */
  labelSetsMax: 20_000,
  /** Bytes of what objects keep of themselves in other encodings (protobuf, CBOR, other versions). Beyond, the unused go. */
  encodingsBytesMax: 48 * 1024 * 1024,
  /** Milliseconds after its last use in which an encoding does not make room for another, which then is not kept. */
  encodingKeptTime: 30_000,
  /** Encodings that are looked at to find room for one; and milliseconds until that is tried again when there was none. */
  encodingsLookedAt: 64,
  encodingsLookInterval: 20,
  /** What one such buffer costs beside its bytes: its object, its place in the collector's books. */
  encodingOverheadBytes: 300,
  /** How often beginning anew is tried before the cache gives up: history may go on while it reads. */
  reloadAttempts: 5,
} as const;
