import { type IncomingHttpHeaders, type IncomingMessage, METHODS, type Server, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { errors } from '../api/index.js';
import type { Scheduler } from '../base/index.js';
import { isAggregated } from './aggregation.js';
import { isConnection } from './backend.js';
import type { Connection, Exchange } from './exchange.js';
import { connectionOf, MessageExchange } from './exchange1.js';
import { StreamExchange, sessionConnection } from './exchange2.js';
import { isFlood, isKnown, limitControlFrames } from './floods.js';
import { Handshakes } from './handshakes.js';
import { limits } from './limits.js';
import { OpenConnections } from './openconnections.js';
import { type FeedClient, ParserFeeds } from './parserfeed.js';
import { isParting, part } from './parting.js';
import { belowApi, serveApi } from './paths.js';
import { type Handler, serve } from './pipeline.js';
import { malformed, refuse, refuseRequest, refuseWith, statusText } from './refusals.js';
import { createRouter } from './router.js';
import type { HttpServices } from './services.js';
import {
  beginWith,
  defaultTlsPolicy,
  NamedContexts,
  policyOptions,
  secureContext,
  type TlsMaterial,
  type TlsPolicy,
} from './tls.js';
import { isWebSocketWatch, withoutUpgrade } from './websocket.js';

export interface ListenerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly tls: TlsMaterial;
  readonly policy?: TlsPolicy;
  /** The number of open connections; further ones are closed when they are accepted. At most `limits.connectionsMax`. */
  readonly connectionsMax?: number;
  /** The chance that a request over HTTP/2 ends its session gracefully, so that the client connects again. Absent: never. */
  readonly goawayChance?: number;
}

/** Accepts connections: TLS, with HTTP/1.1 and HTTP/2 on one port by ALPN. */
export interface Listener {
  readonly port: number;
  /** Sets the certificates for new connections. */
  renew(tls: TlsMaterial): void;
  /**
   * Drains the server. It accepts no new connections, asks the clients of open ones to reconnect elsewhere (GOAWAY, or the end of
   * an idle HTTP/1.1 connection), ends the watches, and lets requests finish. After `graceTime` milliseconds it closes what is
   * still open.
   */
  drain(graceTime: number): Promise<void>;
}

export async function openListener(services: HttpServices, options: ListenerOptions): Promise<Listener> {
  const door = new Door(services, options);
  await door.listen(options.host, options.port);
  return door;
}

class Door implements Listener {
  readonly #services: HttpServices;
  readonly #server: Http2SecureServer;
  readonly #named: NamedContexts;
  readonly #goawayChance: number;
  readonly #connections: OpenConnections;
  readonly #feeds: ParserFeeds;
  readonly #router: FastifyInstance;
  readonly #handler: Handler;
  /** Monotonic, milliseconds. */
  #quietUntil = 0;
  #drained: Promise<void> | undefined;

  constructor(
    services: HttpServices,
    { tls, connectionsMax, policy = defaultTlsPolicy, goawayChance = 0 }: ListenerOptions,
  ) {
    this.#services = services;
    this.#connections = new OpenConnections(services.world);
    this.#feeds = new ParserFeeds(services.world, services.stages.starts);
    this.#handler = (call) => serveApi(call, services);
    this.#goawayChance = goawayChance;
    const named = new NamedContexts(policy, tls);
    this.#named = named;
    const server = createSecureServer({
      allowHTTP1: true,
      ...secureContext(tls),
      // The handshake accepts every client: one without a valid certificate gets a 401 with a reason.
      requestCert: true,
      rejectUnauthorized: false,
      ...policyOptions(policy),
      SNICallback: (name, done) => done(null, named.of(name)),
      handshakeTimeout: limits.headersTime,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 15_000,
      settings: {
        maxConcurrentStreams: limits.streamsMax,
        initialWindowSize: limits.streamWindow,
        maxHeaderListSize: limits.headerBytesMax,
        enablePush: false,
      },
      maxHeaderListPairs: limits.headersMax,
      maxSessionInvalidFrames: limits.invalidFramesMax,
      unknownProtocolTimeout: 5_000,
    } as Parameters<typeof createSecureServer>[0]);
    this.#server = server;
    // For HTTP/1.1. Node reads these options from the server object, although its types do not list them there.
    Object.assign(server as unknown as Partial<Server>, {
      maxHeaderSize: limits.headerBytesMax,
      // Node drops headers beyond this number. So it reads one more than allowed, and then `malformed` rejects the
      // request.
      maxHeadersCount: limits.headersMax + 1,
      headersTimeout: limits.headersTime,
      requestTimeout: limits.bodyTime,
      keepAliveTimeout: limits.idleTime,
      maxConnections: Math.min(connectionsMax ?? Infinity, limits.connectionsMax),
      // `malformed` rejects a request without Host, with a Status.
      requireHostHeader: false,
    });
    this.#router = createRouter(services);
    server.on('request', (request, response) =>
      this.#inTurn(request as unknown as IncomingMessage, response as unknown as ServerResponse),
    );
    server.on('upgrade', (request: IncomingMessage, socket: TLSSocket, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
    server.on('connect', (_request: IncomingMessage, socket: TLSSocket) => {
      socket.on('error', ignore);
      refuseWith(services.world.timers, socket, statusText(errors.methodNotAllowed()));
    });
    // Node's compatibility layer builds requests and responses for HTTP/2 streams. Only the router needs those.
    const compatible = server.listeners('stream') as StreamListener[];
    server.removeAllListeners('stream');
    const onStream: StreamListener = (stream, headers, flags, raw) =>
      this.#stream(stream, headers, flags, raw, compatible);
    server.on('stream', onStream as Parameters<typeof server.on>[1]);
    // Node begins the TLS handshake of a connection as soon as it is accepted.
    const [begin] = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    const handshakes = new Handshakes(services.world, (socket) =>
      beginWith(server, named.ofAddress(socket.localAddress), () => begin!.call(server, socket)),
    );
    server.on('connection', (socket: Socket) => {
      this.#connections.accepted(socket);
      handshakes.add(socket);
    });
    server.on('secureConnection', (socket) => this.#connected(socket));
    server.on('session', (session) => this.#opened(session));
    server.on('sessionError', () => {});
    server.on('tlsClientError', () => {
      services.metrics.tlsHandshakeErrors.value++;
    });
    server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
      this.#feeds.detach(socket);
      refuse(services.world.timers, error.code, socket);
    });
  }

  async listen(host: string, port: number): Promise<void> {
    const server = this.#server;
    await this.#router.ready();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#failed(error));
        resolve();
      });
    });
  }

  /**
   * If the process has no file descriptor left, libuv closes waiting connections and reports each of them. This logs
   * one line per interval. The limit on connections makes this rare.
   */
  #failed(error: Error & { code?: string }): void {
    const outOfFiles = error.code === 'EMFILE' || error.code === 'ENFILE';
    const now = this.#services.world.clock.monotonic();
    if (outOfFiles && now < this.#quietUntil) return;
    if (outOfFiles) this.#quietUntil = now + limits.acceptErrorsQuietTime;
    this.#services.log.error(
      { err: error },
      outOfFiles ? 'no file descriptors left: new connections are closed' : 'listener error',
    );
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  renew(tls: TlsMaterial): void {
    this.#named.use(tls);
    this.#server.setSecureContext(secureContext(tls));
  }

  #connected(socket: TLSSocket): void {
    if (socket.alpnProtocol !== 'h2') this.#feeds.add(socket, this.#client(socket));
    this.#connections.connected(socket);
  }

  #client(socket: TLSSocket): FeedClient {
    const connection = connectionOf(socket);
    return {
      isKnown: () => isKnown(socket, connection),
      starts: () => this.#starts(socket, connection),
      flow: () => connection.flow,
    };
  }

  #starts(socket: TLSSocket, connection: Connection): Scheduler {
    const { starts, anonymousStarts } = this.#services.stages;
    return isKnown(socket, connection) ? starts : anonymousStarts;
  }

  #opened(session: ServerHttp2Session): void {
    limitControlFrames(session, this.#services.world);
    if (!(session.socket as TLSSocket).authorized)
      session.settings({ maxConcurrentStreams: limits.streamsAnonymousMax });
    session.setTimeout(limits.idleTime, () => {
      if (sessionConnection(session).open === 0) part(session, this.#services.world);
    });
    this.#connections.opened(session);
  }

  /**
   * Serves the requests of an HTTP/1.1 connection one at a time, in order. The next request begins when Node assigns
   * its response to the connection, after the previous response is written. Only a few requests may wait; if a client
   * sends more, its connection is closed.
   */
  #inTurn(request: IncomingMessage, response: ServerResponse): void {
    const socket = request.socket as TLSSocket;
    const connection = connectionOf(socket);
    // The client may have the last answer before Node reports that it is written, so that one request waits. A second one is pipelined.
    this.#feeds.began(request, connection.waiting > 0);
    if (response.socket !== null) {
      this.#request(request, response);
      return;
    }
    if (socket.destroyed) return;
    const waitingMax = isKnown(socket, connection) ? limits.pipelinedMax : limits.pipelinedAnonymousMax;
    if (connection.waiting >= waitingMax) {
      socket.destroy();
      return;
    }
    connection.waiting++;
    response.once('socket', () => {
      connection.waiting--;
      // Node must first finish preparing this response.
      void Promise.resolve().then(() => {
        if (socket.writable) this.#request(request, response);
      });
    });
  }

  /**
   * Node detaches the connection of a request with an Upgrade header. A watch over WebSocket and a request for another
   * server keep the connection, with a response object created here until the upgrade is accepted. Any other
   * request is parsed again without its Upgrade header.
   */
  #upgrade(request: IncomingMessage, socket: TLSSocket, head: Buffer): void {
    const response = new ServerResponse(request);
    const rest = this.#feeds.detach(socket);
    if (rest.length > 0) head = Buffer.concat([head, rest]);
    try {
      response.assignSocket(socket);
    } catch {
      // Another response is still in progress.
      socket.destroy();
      return;
    }
    const wrong = malformed(request);
    if (wrong !== undefined) {
      response.detachSocket(socket);
      refuseWith(this.#services.world.timers, socket, statusText(wrong));
      return;
    }
    const url = originForm(request.url ?? '/');
    const isForwarded = isConnection(url) || isAggregated(this.#services.aggregation, url);
    if (isForwarded || isWebSocketWatch(request, url)) {
      request.url = url;
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.destroySoon());
      this.#serve(new MessageExchange(request, response, { socket, head, isForwarded }));
      return;
    }
    response.detachSocket(socket);
    socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
    this.#server.emit('secureConnection', socket);
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const wrong = malformed(request);
    if (wrong !== undefined) {
      refuseRequest(request, response, wrong);
      return;
    }
    const url = originForm(request.url ?? '/');
    request.url = url;
    if (belowApi(url)) this.#begin(new MessageExchange(request, response), request.socket as TLSSocket);
    else {
      response.once('close', this.#connections.began(connectionOf(request.socket as TLSSocket)));
      this.#router.routing(request, response);
    }
  }

  #stream(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    raw: string[],
    compatible: readonly StreamListener[],
  ): void {
    const session = stream.session;
    if (session === undefined || session.destroyed) return;
    stream.on('error', ignore);
    if (isParting(session)) return;
    if (isFlood(session, this.#services.world.clock.monotonic())) this.#part(session);
    else if (this.#goawayChance > 0 && this.#services.world.random.float() < this.#goawayChance)
      part(session, this.#services.world);
    const url = headers[':path'] as string | undefined;
    // HTTP/2 carries any method. The router rejects those it does not know before the pipeline runs.
    const skipsRouter = url !== undefined && (belowApi(url) || !KNOWN_METHODS.has(headers[':method'] as string));
    const connection = sessionConnection(session);
    const socket = session.socket as TLSSocket;
    if (skipsRouter) this.#begin(new StreamExchange(stream, headers, raw, connection), socket);
    else
      this.#starts(socket, connection).later(() => {
        if (stream.destroyed || stream.closed) return;
        for (const listener of compatible) listener.call(this.#server, stream, headers, flags, raw);
      }, connection.flow);
  }

  /** Ends a session gracefully: open streams are served, and what is still open after a minute is cut. */
  #part(session: Http2Session): void {
    part(session, this.#services.world);
    const cancel = this.#services.world.timers.after(limits.bodyTime, () => session.destroy());
    session.once('close', cancel);
  }

  /**
   * Serves a request at the end of this turn of the event loop, together with all others that have arrived in it. A batch costs much less
   * than the same requests one by one: the code of each stage stays in the processor's caches, the writes share an entry of the log, and
   * clients wake up once for several responses. A request that is alone waits for nothing.
   */
  #begin(exchange: Exchange, socket: TLSSocket): void {
    const { connection } = exchange;
    const over = this.#connections.began(connection);
    this.#starts(socket, connection).soon(() => {
      // The client has left while the request waited.
      if (exchange.gone) over();
      else void serve(exchange, this.#services.stages, this.#handler).then(over);
    }, connection.flow);
  }

  #serve(exchange: Exchange): void {
    const over = this.#connections.began(exchange.connection);
    void serve(exchange, this.#services.stages, this.#handler).then(over);
  }

  drain(graceTime: number): Promise<void> {
    this.#drained ??= this.#drain(graceTime);
    return this.#drained;
  }

  #drain(graceTime: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#services.watches.close();
    return this.#connections.drain(closed, graceTime);
  }
}

type StreamListener = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]) => void;

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);
const ignore = (): void => {};

/** Accepts a request target in absolute form (RFC 9112, 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const at = /^https?:\/\/[^/?#]*/i.exec(url);
  if (at === null) return url;
  const rest = url.slice(at[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
