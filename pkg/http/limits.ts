/** All limits of the HTTP side. Sizes are in bytes and times in milliseconds unless the name says otherwise. */
export const limits = {
  /**
   * The size of a request body. As kube-apiserver: 3 MiB, twice what the store accepts, because JSON may be larger than the
   * stored form.
   */
  bodyBytesMax: 3 * 1024 * 1024,
  /** The memory of all bodies in flight that are larger than `smallBodyBytes`. Beyond it: 429 with Retry-After. */
  bodiesBytesMax: 64 * 1024 * 1024,
  smallBodyBytes: 64 * 1024,
  /**
   * The memory of the selectors of all lists and watches whose URLs have more than `longUrlCharacters`, and of their URLs until a watch has
   * begun; the same for one user, and for all clients that have not authenticated. Beyond it: 429 with Retry-After.
   */
  longSelectorsBytesMax: 96 * 1024 * 1024,
  longSelectorsOfUserBytesMax: 56 * 1024 * 1024,
  longSelectorsAnonymousBytesMax: 4 * 1024 * 1024,
  longUrlCharacters: 1000,
  /**
   * Pieces (DATA frames, chunks) of a body whose size does not matter, and the average size of the pieces when there are more. A body in
   * smaller pieces is refused (400): each piece takes time and memory of its own.
   */
  bodyPiecesMax: 1024,
  bodyPieceBytesMin: 16,
  /** Request line and headers of HTTP/1.1, header list of HTTP/2. */
  headerBytesMax: 128 * 1024,
  /** Header lines of one request. Beyond it: 431 over HTTP/1.1, the stream is reset over HTTP/2. */
  headersMax: 256,
  /**
   * Requests of an HTTP/1.1 connection that may wait for an earlier response; the same for a client that has not authenticated.
   */
  pipelinedMax: 64,
  pipelinedAnonymousMax: 8,
  /**
   * The bytes of an HTTP/1.1 connection that are parsed at once, unless they belong to a body; the same for a client
   * that has not authenticated. The smallest request has about 30.
   */
  parsedBytesMax: 4096,
  parsedBytesAnonymousMax: 1024,
  /**
   * Requests over HTTP/1.1 of one turn that Node parses directly from their connections. With more, or if a client sends requests without
   * waiting for answers, all connections get a feed (`parserfeed.ts`), and new ones for this time: milliseconds.
   */
  parsedDirectlyMax: 256,
  feedsTime: 600_000,
  /**
   * The time within one turn of the event loop after which no further request begins; and the same, separately, for
   * clients that have not authenticated, so that they do not delay others.
   */
  startsTime: 8,
  /**
   * The least time for a user whose requests use much more time than those of all others together: one request begins in a turn. What
   * the request does later in the turn (the body, the write) takes several times as long as its beginning, and is not measured.
   */
  startsHeavyTime: 0.05,
  anonymousStartsTime: 2,
  /** The time that one request takes of a turn, with all its stages, before it yields. */
  sliceTime: 8,
  /** TLS handshakes that begin in one turn of the event loop. */
  handshakesPerTurn: 4,
  /** The bytes of an unread body that are discarded after the response, before the connection is closed. */
  discardBytesMax: 16 * 1024 * 1024,
  /** The time within which the headers, and the whole body, of a request must arrive. */
  headersTime: 32_000,
  bodyTime: 60_000,
  /**
   * The time after which a connection is closed that was rejected before it sent a request, or that is still open after
   * a drain.
   */
  partingTime: 2_000,
  /** The time after which an idle keep-alive connection is closed. */
  idleTime: 90_000,
  /**
   * The time after which a client that reads nothing of a response is disconnected. For a watch it counts while events are
   * pending.
   */
  stalledTime: 60_000,
  /** The last bookmark of a watch comes this time before its end. A shorter watch has none. */
  lastBookmarkTime: 2000,
  /** Streams that a client may have open on one HTTP/2 connection (client-go has one watch for each kind and cache). */
  streamsMax: 1000,
  /**
   * The same for a client without a certificate, as in kube-apiserver; and the number of requests without credentials that it may
   * send at once, and then for each second (health checks of load balancers). Beyond it the connection ends gracefully (GOAWAY): what was
   * accepted is answered.
   */
  streamsAnonymousMax: 100,
  requestsAnonymousMax: 200,
  requestsAnonymousPerSecond: 20,
  /**
   * PING and SETTINGS frames that a client may send at once, and then for each second; and frames that the protocol does not allow, among them
   * empty DATA frames. Beyond it the connection is closed.
   */
  controlFramesMax: 200,
  controlFramesPerSecond: 20,
  invalidFramesMax: 64,
  /** The HTTP/2 flow control window for request bodies. */
  streamWindow: 256 * 1024,
  /** Open connections. Further ones are closed at once. */
  connectionsMax: 20_000,
  /** The time between two log lines about missing file descriptors. */
  acceptErrorsQuietTime: 10_000,

  /** Responses larger than this are compressed, as in kube-apiserver. */
  plainBytesMax: 128 * 1024,
  gzipLevel: 1,
  /** Larger bodies are written in pieces, because a connection encrypts what it is given in one go. */
  wholeBytesMax: 4 * 1024 * 1024,
  pieceBytes: 256 * 1024,

  /** The size of a message from a WebSocket client. Such messages are ignored. */
  messageBytesMax: 4 * 1024,

  /** The bytes of a watch that are written at once. A slow client costs this much memory, encrypted and unencrypted. */
  watchTakeBytes: 64 * 1024,

  /**
   * Queued requests for each request that may be in flight (`--max-requests-inflight`,
   * `--max-mutating-requests-inflight`). Beyond this number, or after this time, the response is 429 with Retry-After.
   * A single user may queue fewer, so that a flood of its requests leaves space for others.
   */
  queuedPerPlace: 20,
  queuedPerPlaceOfUser: 3,
  queueTime: 15_000,
  retryAfterSeconds: 1,

  /**
   * Characters of the `Warning` headers of one response: the total, and the maximum of each once the total is exceeded.
   */
  warningsCharsMax: 4096,
  warningCharsCut: 256,

  /** The duration of a watch without `timeoutSeconds`: between this and twice this. */
  watchTime: 1_800_000,
  /** Characters of the audit annotations of one request, each of which counts for more than it has. Further ones are left out. */
  auditAnnotationsMax: 4 * 1024 * 1024,
  auditAnnotationOverhead: 1024,
  /** Bytes of an object in an audit event. A larger response is omitted, which the event shows. */
  auditObjectBytesMax: 3 * 1024 * 1024,
} as const;
