/** Every bound of the HTTP side in one place. Sizes in bytes, times in milliseconds unless the name says otherwise. */
export const limits = {
  /** A request body. As kube-apiserver: 3 MiB, twice what the store takes, because JSON may be larger than what is stored. */
  bodyBytesMax: 3 * 1024 * 1024,
  /** Memory of all bodies in flight that are larger than `smallBodyBytes`. Beyond it: 429 with Retry-After. */
  bodiesBytesMax: 64 * 1024 * 1024,
  smallBodyBytes: 64 * 1024,
  /** Request line and headers of HTTP/1.1, header list of HTTP/2. */
  headerBytesMax: 128 * 1024,
  /** Header lines of one request. Beyond it: 431 over HTTP/1.1, the stream is reset over HTTP/2. */
  headersMax: 256,
  /** Requests of an HTTP/1.1 connection that may wait for the one before them; of a client that has not shown who it is. */
  pipelinedMax: 64,
  pipelinedAnonymousMax: 8,
  /** What is read away of a body that nobody wants (the answer is out), before the connection is cut. */
  discardBytesMax: 16 * 1024 * 1024,
  /** A request's headers, and its whole body, must have come within. */
  headersTime: 32_000,
  bodyTime: 60_000,
  /** A connection that was refused before it was a request is cut after; so is one that is only to close, when the server ends. */
  partingTime: 2_000,
  /** An idle keep-alive connection is closed after. */
  idleTime: 90_000,
  /** A client that takes nothing of an answer for so long is cut off; of a watch, when there are events for it. */
  stalledTime: 60_000,
  /** Streams that a client may have open on one HTTP/2 connection (a process of client-go has one watch a kind, times caches). */
  streamsMax: 1000,
  /** The same while a client has not shown a certificate, as kube-apiserver; and how many requests without credentials it may send. */
  streamsAnonymousMax: 100,
  requestsAnonymousMax: 200,
  /** HTTP/2 flow control window for request bodies. */
  streamWindow: 256 * 1024,
  /** Open connections. Beyond it new ones are closed at once. */
  connectionsMax: 20_000,
  /** Between two log lines that say that there is no file for a connection. */
  acceptErrorsQuietTime: 10_000,

  /** Answers larger than this are compressed. As kube-apiserver. */
  plainBytesMax: 128 * 1024,
  gzipLevel: 1,

  /** A message of a client over WebSocket. Nobody reads them. */
  messageBytesMax: 4 * 1024,

  /** How much of a watch is written at once; so much, encrypted and not, is what a client that does not keep up costs. */
  watchTakeBytes: 64 * 1024,
  /** What all large answers together may take of one turn of the event loop; then they give way to other work. */
  sliceTime: 2,

  /**
   * Requests that wait, per request that may be in flight (`--max-requests-inflight`, `--max-mutating-requests-inflight`). Beyond it,
   * and after waiting so long: 429 with Retry-After. One user may have fewer waiting, so that a flood leaves room for the others.
   */
  queuedPerPlace: 20,
  queuedPerPlaceOfUser: 3,
  queueTime: 15_000,
  retryAfterSeconds: 1,

  /** `Warning` headers of one answer, in characters: all of them; one, once all are too many. */
  warningsCharsMax: 4096,
  warningCharsCut: 256,

  /** `timeoutSeconds` unset on a watch: at least this, at most twice. */
  watchTime: 1_800_000,
  /** Audit annotations of one request. Further ones are dropped. */
  auditAnnotationsMax: 64,
  /** Characters of the value of an audit annotation. The rest is cut off. */
  auditAnnotationCharactersMax: 4_096,
} as const;
