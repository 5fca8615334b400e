import {
  type Configuration,
  type Entry,
  type MemberChange,
  members as memberIds,
  type ProposeResult,
  toPeerId,
} from '../../../raft/index.js';
import { type Revision, revision, type World } from '../../base/index.js';
import {
  type AppliedEvent,
  encodeEntry,
  prefixEnd,
  type StateMachine,
  type Txn,
  type TxnResult,
} from '../../storage/index.js';
import { idFrom, MEMBER_LIMITS, memberIdText } from '../common/index.js';
import type { AddMember, ControlResult, MemberReport } from './types.js';

/**
 * Who the members are: the consensus core knows them by number; names and addresses are keys of the replicated state, so
 * snapshots, restarts and every peer have them alike. The keys lie outside of `/`, where the API keeps its objects.
 *
 *     !members/<id>   {"id", "name", "peerUrls", "staysLearner", "started"}
 *     !removed/<id>   a member that was removed; its id never comes back
 */
export const MEMBERS = '!members/';
export const REMOVED = '!removed/';

export interface MemberInfo {
  readonly id: number;
  readonly name: string;
  readonly peerUrls: readonly string[];
  /** Not to be promoted without being asked. */
  readonly staysLearner?: boolean;
  /** It has taken part: its disk holds votes and acknowledgements that the cluster counts on. */
  readonly started?: boolean;
}

export interface MembersPorts {
  readonly world: World;
  readonly self: number;
  readonly clusterId: string;
  /** What the flags say of the founding members. */
  readonly founders: readonly MemberInfo[];
  isLeader(): boolean;
  configuration(): Configuration;
  caughtUp(id: number): boolean;
  change(change: MemberChange): ProposeResult;
  propose(command: Uint8Array): Promise<TxnResult>;
  /** Names, addresses or members have changed. */
  changed(): void;
  promoted(): void;
  note(level: 'info' | 'warn' | 'error', message: string): void;
}

interface PendingChange {
  readonly term: number;
  readonly resolve: (committed: boolean) => void;
}

export class Members {
  readonly #ports: MembersPorts;
  readonly #known = new Map<number, MemberInfo>();
  readonly #removed = new Set<number>();
  /** Changes of membership in this peer's log as leader, by index. */
  readonly #pending = new Map<number, PendingChange>();
  #turn: Promise<unknown> = Promise.resolve();
  /** Changes under way or waiting for their turn. */
  #waiting = 0;
  #publishing = false;

  constructor(ports: MembersPorts) {
    this.#ports = ports;
  }

  /** Reads what the state says; again after another state took its place. */
  async load(machine: StateMachine): Promise<void> {
    const members = await machine.range({ start: MEMBERS, end: prefixEnd(MEMBERS) });
    const removed = await machine.range({ start: REMOVED, end: prefixEnd(REMOVED) });
    // Both are here: whoever asks meanwhile (a founder without its disk, a member that was removed) is not told that nobody is known.
    this.#known.clear();
    this.#removed.clear();
    if (members.kind === 'ok') for (const { key, value } of members.items) this.#learn(key, value);
    if (removed.kind === 'ok') for (const { key } of removed.items) this.#removed.add(idOf(key, REMOVED));
    this.#ports.changed();
  }

  /** The state has changed. */
  applied(events: readonly AppliedEvent[]): void {
    let news = false;
    for (const { changes } of events) {
      for (const change of changes) {
        const key = change.kind === 'put' ? change.current.key : change.key;
        if (!key.startsWith('!')) continue;
        news = true;
        if (key.startsWith(REMOVED)) this.#removed.add(idOf(key, REMOVED));
        else if (change.kind === 'put') this.#learn(key, change.current.value);
        else this.#known.delete(idOf(key, MEMBERS));
      }
    }
    if (news) this.#ports.changed();
  }

  #learn(key: string, value: Uint8Array): void {
    this.#known.set(idOf(key, MEMBERS), JSON.parse(Buffer.from(value).toString()) as MemberInfo);
  }

  info(id: number): MemberInfo {
    const founder = this.#ports.founders.find((member) => member.id === id);
    return this.#known.get(id) ?? founder ?? { id, name: '', peerUrls: [] };
  }

  wasRemoved(id: number): boolean {
    return this.#removed.has(id);
  }

  /** Whoever comes with an empty disk under this id has lost one. */
  hasStarted(id: number): boolean {
    return this.#known.get(id)?.started === true || this.#removed.has(id);
  }

  list(): readonly MemberReport[] {
    const config = this.#ports.configuration();
    return memberIds(config).map((id) => {
      const { name, peerUrls } = this.info(id);
      return { id, name, peerUrls, learner: config.learners.includes(id) };
    });
  }

  /** An entry of kind `config` was committed. */
  committed(entry: Entry): void {
    const pending = this.#pending.get(entry.index);
    if (pending === undefined) return;
    this.#pending.delete(entry.index);
    pending.resolve(pending.term === entry.term);
  }

  /**
   * Leadership is gone: what was under way may or may not happen. What is committed by now (a leader's own removal ends its
   * leadership) is settled when it is applied.
   */
  lostLeadership(commit: number): void {
    for (const [index, { resolve }] of this.#pending) {
      if (index <= commit) continue;
      this.#pending.delete(index);
      resolve(false);
    }
  }

  /** Nothing that is under way will be seen to end: this peer serves no more, or a snapshot has taken the place of the entries. */
  giveUp(): void {
    for (const { resolve } of this.#pending.values()) resolve(false);
    this.#pending.clear();
  }

  add(request: AddMember): Promise<ControlResult<MemberReport>> {
    return this.#alone(async () => {
      const peerUrls = [...request.peerUrls].sort();
      if (peerUrls.length === 0) return refused('a member needs a peer URL, like https://HOST:PORT');
      const odd = peerUrls.find((url) => !isPeerUrl(url));
      if (odd !== undefined) return refused(`'${odd}' is no peer URL: give it as https://HOST:PORT`);
      const taken = this.list().find((member) => member.peerUrls.some((url) => peerUrls.includes(url)));
      if (taken !== undefined) return refused(`member ${memberIdText(taken.id)} (${taken.name}) has that peer URL`);
      const { clusterId, world } = this.#ports;
      const id = idFrom([clusterId, ...peerUrls, world.random.uuid()]);
      const stays = request.staysLearner === true ? { staysLearner: true } : {};
      const info: MemberInfo = { id, name: request.name ?? '', peerUrls, ...stays };
      const noted = await this.#write({ compares: [absent(MEMBERS, id)], ops: [put(info)] });
      if (noted !== undefined) return refused(noted);
      const why = await this.#change({ kind: 'addLearner', id: toPeerId(id) });
      if (why === undefined) return { kind: 'ok', value: { id, name: info.name, peerUrls, learner: true } };
      await this.#write({ compares: [], ops: [{ kind: 'delete', key: keyOf(MEMBERS, id) }] });
      return refused(why);
    });
  }

  promote(id: number): Promise<ControlResult<null>> {
    return this.#alone(async () => {
      if (!this.#ports.configuration().learners.includes(toPeerId(id)))
        return refused('that is no learner of this cluster');
      const why = await this.#change({ kind: 'addVoter', id: toPeerId(id) });
      if (why === undefined) this.#ports.promoted();
      return why === undefined ? { kind: 'ok', value: null } : refused(why);
    });
  }

  remove(id: number): Promise<ControlResult<null>> {
    return this.#alone(async () => {
      if (!memberIds(this.#ports.configuration()).includes(toPeerId(id)))
        return refused('that is no member of this cluster');
      // Known by name first: so whoever leads next finds that it is no member any more, and buries it.
      if (!this.#known.has(id)) {
        const noted = await this.#write({ compares: [absent(MEMBERS, id)], ops: [put(this.info(id))] });
        if (noted !== undefined) return refused(noted);
      }
      const why = await this.#change({ kind: 'remove', id: toPeerId(id) });
      if (why !== undefined) return refused(why);
      if (this.#ports.isLeader()) await this.#bury(id);
      return { kind: 'ok', value: null };
    });
  }

  /** Notes that a member is gone for good. Whoever leads next makes up for it if this fails. */
  #bury(id: number): Promise<string | undefined> {
    const tomb = { kind: 'put', key: keyOf(REMOVED, id), value: Buffer.from('{}') } as const;
    return this.#write({ compares: [], ops: [{ kind: 'delete', key: keyOf(MEMBERS, id) }, tomb] });
  }

  /** Tells the others, once, that this peer takes part. */
  async #publish(): Promise<void> {
    const me = this.#known.get(this.#ports.self);
    if (me === undefined || me.started === true || this.#publishing) return;
    this.#publishing = true;
    await this.#write({ compares: [], ops: [put({ ...me, started: true })] });
    this.#publishing = false;
  }

  /** What a peer, and above all a leader, does about members of its own accord; called now and then. */
  async tend(): Promise<void> {
    void this.#publish();
    if (!this.#ports.isLeader() || this.#waiting > 0) return;
    const config = this.#ports.configuration();
    const current = memberIds(config);
    for (const founder of this.#ports.founders) {
      if (this.#known.has(founder.id) || !current.includes(toPeerId(founder.id))) continue;
      await this.#alone(async () => {
        await this.#write({ compares: [absent(MEMBERS, founder.id)], ops: [put(founder)] });
        return refused('');
      });
    }
    for (const id of this.#known.keys()) {
      if (current.includes(toPeerId(id)) || this.#waiting > 0) continue;
      await this.#alone(async () => {
        // As things are now: it may have been added while others had their turn.
        if (!memberIds(this.#ports.configuration()).includes(toPeerId(id))) await this.#bury(id);
        return refused('');
      });
    }
    for (const id of config.learners) {
      if (this.info(id).staysLearner === true || !this.#ports.caughtUp(id)) continue;
      const result = await this.promote(id);
      if (result.kind === 'ok')
        this.#ports.note('info', `learner ${memberIdText(id)} has caught up and is a voter now`);
    }
  }

  /** One change after the other. */
  async #alone<T>(run: () => Promise<ControlResult<T>>): Promise<ControlResult<T>> {
    if (this.#waiting >= MEMBER_LIMITS.changesMax) return refused('too many changes of members are waiting');
    this.#waiting++;
    const mine = this.#turn.then(run);
    this.#turn = mine.catch(() => {}).finally(() => this.#waiting--);
    return mine;
  }

  /** Undefined when the change is committed, else why it is not. */
  #change(change: MemberChange): Promise<string | undefined> {
    const result = this.#ports.change(change);
    if (result.kind === 'refused') return Promise.resolve(result.detail);
    return new Promise((resolve) => {
      this.#pending.set(result.index, {
        term: result.term,
        resolve: (committed) =>
          resolve(committed ? undefined : 'leadership was lost meanwhile: look at the members before trying again'),
      });
    });
  }

  async #write(txn: Txn): Promise<string | undefined> {
    const result = await this.#ports.propose(encodeEntry({ kind: 'txn', txn }));
    if (result.kind === 'committed') return undefined;
    return result.kind === 'conflict' ? 'the members have changed meanwhile' : result.message;
  }
}

/** Every peer connects to the URLs in the state, so only `https://HOST:PORT` may enter it. */
function isPeerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  // The parser drops the default port.
  const plain = `https://${url.hostname}:${url.port || '443'}`;
  return [plain, `${plain}/`].includes(text.toLowerCase());
}

export const memberKey = (id: number): string => keyOf(MEMBERS, id);
const keyOf = (prefix: string, id: number): string => prefix + memberIdText(id);
const idOf = (key: string, prefix: string): number => Number.parseInt(key.slice(prefix.length), 16);

function absent(prefix: string, id: number): { readonly key: string; readonly modRevision: Revision } {
  return { key: keyOf(prefix, id), modRevision: revision(0) };
}

function put(info: MemberInfo): { readonly kind: 'put'; readonly key: string; readonly value: Uint8Array } {
  return { kind: 'put', key: keyOf(MEMBERS, info.id), value: Buffer.from(JSON.stringify(info)) };
}

function refused(message: string): { readonly kind: 'refused'; readonly message: string } {
  return { kind: 'refused', message };
}
