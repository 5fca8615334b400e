// The simulated network between peers, as a `TransportProvider`: connections that break, messages that are lost, delayed,
// duplicated and reordered, cuts in one or both directions, calls without an answer, snapshots that stop on the way.

import { HAS_STARTED } from '../../../pkg/peer/membership/index.js';
import type { SnapshotStream, Transport, TransportPorts, TransportProvider } from '../../../pkg/peer/network/index.js';
import type { WireMembers, WireSnapshotAck, WireSnapshotPart } from '../../../proto/index.js';
import type { Message, PeerId } from '../../../raft/index.js';
import type { Events } from '../events.js';
import type { Random } from '../random.js';
import type { PeerFaults } from './faults.js';
import type { Process } from './process.js';

export interface NetworkProfile {
  readonly loss: number;
  readonly duplication: number;
  readonly delayMsMax: number;
  /** Share of messages that take up to `stragglerMsMax` and are reordered. */
  readonly stragglers: number;
  readonly stragglerMsMax: number;
}

/** A listening process. */
interface Listener {
  readonly url: string;
  readonly process: Process;
  readonly ports: TransportPorts;
  /** URLs of peers that connected to this one. */
  readonly heard: Map<PeerId, readonly string[]>;
}

/** Parts of a snapshot buffered by the network. */
const PARTS_IN_FLIGHT = 4;
const PING_MS = 1000;
/** The longest time until a dead connection is closed. */
const BROKEN_AFTER_MS = 3000;

export class SimulatedNetwork {
  readonly #events: Events;
  readonly #random: Random;
  readonly #profile: NetworkProfile;
  readonly #trace: (line: () => string) => void;
  readonly #faults: PeerFaults;
  readonly #violated: (message: string) => void;
  readonly #promised: (url: string) => void;
  readonly #listeners = new Map<string, Listener>();
  /** Blocked directions, as `from > to`. */
  readonly #cuts = new Set<string>();
  /** URLs of peers to which the next snapshot comes with a wrong index. */
  readonly #misnamed = new Set<string>();
  #perfect = false;
  sent = 0;

  constructor(world: {
    readonly events: Events;
    readonly random: Random;
    readonly profile: NetworkProfile;
    readonly faults: PeerFaults;
    readonly trace: (line: () => string) => void;
    /** Called when peers contradict each other. */
    readonly violated: (message: string) => void;
    /** Called when the peer at `url` grants a vote or acknowledges entries. */
    readonly promised: (url: string) => void;
  }) {
    this.#events = world.events;
    this.#random = world.random;
    this.#profile = world.profile;
    this.#faults = world.faults;
    this.#trace = world.trace;
    this.#violated = world.violated;
    this.#promised = world.promised;
  }

  makePerfect(): void {
    this.#perfect = true;
    this.#cuts.clear();
    this.#misnamed.clear();
  }

  /** Has no effect after `makePerfect`: a fault may have been planned before. */
  cut(from: string, to: string): void {
    if (!this.#perfect) this.#cuts.add(`${from} > ${to}`);
  }

  heal(): void {
    this.#cuts.clear();
  }

  /** The sender of the next snapshot to `url` is faulty: it announces the index after that of the state. */
  misnameSnapshot(url: string): void {
    if (!this.#perfect) this.#misnamed.add(url);
  }

  /** The receiver at `url`, for messages of a faulty peer. */
  sinkAt(url: string): TransportPorts['sink'] | undefined {
    return this.#alive(url)?.ports.sink;
  }

  membersAt(url: string): WireMembers | undefined {
    return this.#alive(url)?.ports.members();
  }

  /** Whether the peer at `url` knows that member `id` was removed. */
  removedAt(url: string, id: number): boolean {
    return this.#alive(url)?.ports.wasRemoved(id) === true;
  }

  /** The transport of `process` at `url`. */
  provider(url: string, process: Process): TransportProvider {
    return {
      open: async (ports) => this.#open(url, process, ports),
      openSnapshotStream: (to, toUrl) => this.#openSnapshot(url, process, to, toUrl),
      fetchMembers: (toUrl, deadline) =>
        this.#call(url, process, toUrl, deadline, async ({ ports }) => ports.members()),
      callControl: (toUrl, deadline, name, argument) =>
        this.#call(url, process, toUrl, deadline, async ({ ports }): Promise<unknown> => {
          if (this.#faults.hidesStarted === true && name.startsWith(HAS_STARTED)) {
            return { clusterId: ports.clusterId, started: false };
          }
          return JSON.parse(JSON.stringify(await ports.control(name, JSON.parse(JSON.stringify(argument)))));
        }),
    };
  }

  #alive(url: string): Listener | undefined {
    const listener = this.#listeners.get(url);
    return listener?.process.alive ? listener : undefined;
  }

  #isCut(from: string, to: string): boolean {
    return this.#cuts.size > 0 && this.#cuts.has(`${from} > ${to}`);
  }

  #isLost(from: string, to: string): boolean {
    if (this.#isCut(from, to)) return true;
    return !this.#perfect && this.#profile.loss > 0 && this.#random.chance(this.#profile.loss);
  }

  #delay(): number {
    const { delayMsMax, stragglers, stragglerMsMax } = this.#profile;
    if (this.#perfect) return 1;
    if (stragglers > 0 && this.#random.chance(stragglers)) return this.#random.unit() * stragglerMsMax;
    return this.#random.unit() * delayMsMax;
  }

  #open(url: string, process: Process, ports: TransportPorts): Transport {
    const me: Listener = { url, process, ports, heard: new Map() };
    this.#listeners.set(url, me);
    const known = new Map<PeerId, readonly string[]>();
    const urlsOf = (peer: PeerId): readonly string[] => {
      const urls = known.get(peer) ?? [];
      return urls.length > 0 ? urls : (me.heard.get(peer) ?? []);
    };
    const unreachable = (peer: PeerId): void => process.after(ports.heartbeatMs, () => ports.sink.unreachable(peer));
    /** Delivers to the peer `to`. Returns false when the sender can tell that nothing was sent. */
    const deliver = (to: PeerId, give: (there: Listener) => void): boolean => {
      this.sent++;
      const at = urlsOf(to)[0];
      const there = at === undefined ? undefined : this.#alive(at);
      if (at === undefined || there === undefined) return false;
      if (this.#isLost(url, at)) return this.#random.chance(0.5);
      this.#events.after(this.#delay(), () => {
        if (this.#alive(at) !== there) return;
        there.process.run(() => {
          if (there.ports.self !== to || there.ports.clusterId !== ports.clusterId) return;
          if (there.ports.wasRemoved(ports.self)) {
            // Ids are never reused, so a member of the configuration in force was never removed.
            if (there.ports.members().members.some(({ id }) => id === ports.self)) {
              this.#violated(
                `${at} reports that the member ${ports.self.toString(16)} was removed, but still counts it as a voter`,
              );
            }
            if (!this.#isCut(at, url)) process.after(this.#delay(), () => ports.sink.removed());
            return;
          }
          there.heard.set(ports.self, [url]);
          give(there);
        });
      });
      return true;
    };
    // Connections are kept alive, so a removed peer learns of its removal even when it sends nothing.
    process.world.timers.every(PING_MS, () => {
      for (const peer of known.keys()) if (peer !== ports.self) deliver(peer, () => {});
    });
    return {
      addresses: [url],
      send: (messages) => {
        for (const message of messages) {
          this.#trace(() => `${url} sends ${describe(message)}`);
          if (isPromise(message)) this.#promised(url);
          const times = !this.#perfect && this.#random.chance(this.#profile.duplication) ? 2 : 1;
          for (let i = 0; i < times; i++) {
            if (!deliver(message.to, ({ ports: { sink } }) => sink.raft(message)) && i === 0) unreachable(message.to);
          }
        }
      },
      forward: (to, proposal) =>
        deliver(to, ({ url: at, ports: { sink } }) => {
          try {
            sink.proposal(ports.self, proposal);
          } catch (error) {
            this.#violated(`${at} rejects a proposal of ${url}: ${(error as Error).message}`);
          }
        }),
      refuse: (to, refusal) => void deliver(to, ({ ports: { sink } }) => sink.refused(refusal)),
      sendHashes: (revision, hashes) => {
        for (const peer of new Set([...known.keys(), ...me.heard.keys()])) {
          if (peer !== ports.self) deliver(peer, ({ ports: { sink } }) => sink.hash(ports.self, revision, hashes));
        }
      },
      flush: () => {},
      setPeers: (peers) => {
        known.clear();
        for (const [peer, urls] of peers) known.set(peer, urls);
      },
      urlsOf,
      close: async () => {
        if (this.#listeners.get(url) === me) this.#listeners.delete(url);
      },
    };
  }

  #call<T>(
    url: string,
    process: Process,
    toUrl: string,
    deadline: number,
    answer: (there: Listener) => Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const there = this.#alive(toUrl);
      if (there === undefined) {
        process.after(this.#delay(), () => reject(new Error('connection refused')));
        return;
      }
      process.after(Math.max(0, deadline - process.world.clock.now()), () => reject(new Error('deadline exceeded')));
      if (this.#isLost(url, toUrl)) return;
      const back = (settle: () => void): void => {
        if (!this.#isLost(toUrl, url)) process.after(this.#delay(), settle);
      };
      this.#events.after(this.#delay(), () =>
        there.process.run(() => {
          if (this.#alive(toUrl) !== there) return;
          answer(there).then(
            (value) => back(() => resolve(value)),
            (error: Error) => back(() => reject(new Error(error.message))),
          );
        }),
      );
    });
  }

  #openSnapshot(url: string, process: Process, _to: PeerId, toUrl: string): SnapshotStream {
    const there = this.#alive(toUrl);
    const cancelled = new AbortController();
    const parts = new PartQueue();
    let broken: Error | undefined;
    let settle: { resolve(ack: WireSnapshotAck): void; reject(error: Error): void } | undefined;
    const answer = new Promise<WireSnapshotAck>((resolve, reject) => {
      settle = { resolve, reject };
    });
    let answered: WireSnapshotAck | undefined;
    answer.then(
      (ack) => {
        answered = ack;
      },
      () => {},
    );
    const early = ({ refused }: WireSnapshotAck): Error =>
      new Error(refused === '' ? 'the receiver answered before the end' : refused);
    const breaks = (why: string): void => {
      broken ??= new Error(why);
      settle!.reject(broken);
      if (there !== undefined)
        this.#events.after(this.#delay(), () => there.process.run(() => cancelled.abort(broken)));
    };
    if (there === undefined) breaks('connection refused');
    else {
      this.#events.after(this.#delay(), () =>
        there.process.run(() => {
          there.ports.receiveSnapshot(parts, cancelled.signal).then(
            (ack) => process.after(this.#delay(), () => settle!.resolve(ack)),
            (error: Error) =>
              process.after(this.#delay(), () => settle!.resolve({ installed: false, refused: error.message })),
          );
        }),
      );
    }
    /** Checks whether the connection still works. */
    const check = (): boolean => {
      if (broken !== undefined || there === undefined) return false;
      const fails = !this.#perfect && this.#random.chance(this.#profile.loss / 4);
      if (there.process.alive && !this.#isCut(url, toUrl) && !this.#isCut(toUrl, url) && !fails) return true;
      process.after(this.#random.unit() * BROKEN_AFTER_MS, () => breaks('the connection broke'));
      return false;
    };
    return {
      write: async (part) => {
        if (broken !== undefined) throw broken;
        if (answered !== undefined || !check()) throw early(await answer);
        const whole: WireSnapshotPart = {
          begin: part.begin ?? null,
          data: part.data === undefined ? new Uint8Array(0) : Uint8Array.from(part.data),
          checksum: part.checksum ?? 0,
          end: part.end == null || !this.#misnamed.delete(toUrl) ? (part.end ?? null) : misnamed(part.end),
        };
        await process.sleep(this.#delay());
        parts.push(whole);
        while (parts.waiting > PARTS_IN_FLIGHT && broken === undefined && answered === undefined) {
          await process.sleep(10);
          check();
        }
        if (broken !== undefined) throw broken;
        if (answered !== undefined) throw early(answered);
      },
      finish: async () => {
        parts.finish();
        check();
        return answer;
      },
      cancel: () => breaks('the sender cancelled the stream'),
    };
  }
}

type SnapshotEnd = NonNullable<WireSnapshotPart['end']>;

function misnamed(end: SnapshotEnd): SnapshotEnd {
  return { ...end, meta: end.meta && { ...end.meta, index: end.meta.index + 1 } };
}

/** Parts in flight, as the receiver reads them. */
class PartQueue implements AsyncIterable<WireSnapshotPart> {
  readonly #parts: WireSnapshotPart[] = [];
  #over = false;
  #wake: (() => void) | undefined;

  get waiting(): number {
    return this.#parts.length;
  }

  push(part: WireSnapshotPart): void {
    this.#parts.push(part);
    this.#wake?.();
  }

  finish(): void {
    this.#over = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WireSnapshotPart, void, void> {
    for (;;) {
      const part = this.#parts.shift();
      if (part !== undefined) yield part;
      else if (this.#over) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

function isPromise(message: Message): boolean {
  return message.kind === 'appendAccepted' || (message.kind === 'voteReply' && message.granted && !message.preVote);
}

function describe(message: Message): string {
  const { kind, from, to, term, ...rest } = message;
  const fields = Object.entries(rest).map(([name, value]) => {
    if (name === 'entries') {
      const entries = value as readonly { index: number; term: number }[];
      return `entries=[${entries.map(({ index, term: of }) => `${index}/${of}`).join(' ')}]`;
    }
    return `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
  });
  return `${kind} from=${from.toString(16)} to=${to.toString(16)} term=${term} ${fields.join(' ')}`;
}
