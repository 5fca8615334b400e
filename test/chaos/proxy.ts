import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A proxy in front of a peer's port that can cut each direction between two peers. All peers must be given the same URLs, because
 * member ids are derived from them, so there is one proxy for each target. It identifies the caller by the process that owns the
 * connection.
 */
export interface Wire {
  /** The direction from `from` to `to` is cut. */
  readonly cut: (from: string, to: string) => boolean;
  /** The name of the peer with this process id. */
  readonly peers: () => ReadonlyMap<string, number>;
}

interface Passage {
  readonly from: string;
  readonly client: Socket;
  readonly server: Socket;
}

export class PeerProxy {
  readonly #server: Server;
  readonly #to: string;
  readonly #wire: Wire;
  readonly #passages = new Set<Passage>();
  #target = 0;

  private constructor(to: string, wire: Wire) {
    this.#to = to;
    this.#wire = wire;
    this.#server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client));
  }

  static async open(to: string, wire: Wire): Promise<PeerProxy> {
    const proxy = new PeerProxy(to, wire);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { readonly port: number }).port;
  }

  aim(port: number): void {
    this.#target = port;
  }

  #accept(client: Socket): void {
    const from = callerOf(client.remotePort ?? 0, this.port, this.#wire.peers());
    // A connection of an unknown caller could cross a partition, so it is closed. The peer dials again.
    if (from === undefined) {
      client.on('error', () => {});
      client.destroy();
      return;
    }
    const server = connect(this.#target, '127.0.0.1');
    const passage: Passage = { from, client, server };
    this.#passages.add(passage);
    const over = (): void => {
      client.destroy();
      server.destroy();
      this.#passages.delete(passage);
    };
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', over);
      one.on('close', over);
      one.on('data', (piece) => {
        if (!other.destroyed && !other.write(piece)) one.pause();
      });
      other.on('drain', () => this.#regulate(passage));
    }
    this.#regulate(passage);
  }

  /** Pauses or resumes each direction. Held bytes are delayed, not lost, as in a real network. */
  #regulate({ from, client, server }: Passage): void {
    if (this.#wire.cut(from, this.#to)) client.pause();
    else if (server.writableLength === 0) client.resume();
    if (this.#wire.cut(this.#to, from)) server.pause();
    else if (client.writableLength === 0) server.resume();
  }

  /** Called when the cuts have changed. With `drop`, connections in a cut direction are closed. */
  changed(drop: (from: string) => boolean = () => false): void {
    for (const passage of [...this.#passages]) {
      if (drop(passage.from)) passage.client.destroy();
      else this.#regulate(passage);
    }
  }

  close(): Promise<void> {
    for (const { client } of this.#passages) client.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/**
 * Returns which of the processes owns the loopback connection between these ports. The local port alone is not enough: connections to other
 * ports may have the same one, among them closed ones in TIME_WAIT.
 */
function callerOf(local: number, remote: number, peers: ReadonlyMap<string, number>): string | undefined {
  const [from, to] = [local, remote].map((port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((l) => l.trim().split(/\s+/))
    .find((columns) => columns[1] === from && columns[2] === to);
  const inode = line?.[9];
  if (inode === undefined) return undefined;
  for (const [name, pid] of peers) {
    if (descriptorsOf(pid).some((fd) => targetOf(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`)) return name;
  }
  return undefined;
}

/** The open file descriptors of a process. Empty when the process has exited. */
function descriptorsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

/** The target of a link. Undefined when the descriptor was closed after the folder was read, which busy processes do all the time. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
