import {
  type Configuration,
  type Entry,
  type MemberChange,
  type Message,
  members as memberIds,
  type ProposeResult,
  toPeerId,
} from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import { type AppliedEvent, encodeEntry, type StateMachine, type Txn, type TxnResult } from '../../storage/index.js';
import { idFrom, MEMBER_LIMITS, memberText, type NoteLevel, type PeerRules } from '../common/index.js';
import type { SmallFiles } from '../durability/index.js';
import { Promises } from './promises.js';
import { type MemberInfo, MemberRecords, memberKey, putEntryForm, putMember, removedKey } from './records.js';
import type { AddMember, ControlResult, MemberReport, UpdateMember } from './types.js';

export interface MembersPorts {
  readonly world: World;
  readonly self: number;
  readonly clusterId: string;
  /** The founding members, from the flags. */
  readonly founders: readonly MemberInfo[];
  /** Small files of the data folder; undefined without one. */
  readonly files: SmallFiles | undefined;
  readonly rules: PeerRules;
  /** The forms of log entries that this release reads, and that it may write. */
  readonly entryForms: { readonly reads: number; readonly writes: number };
  isLeader(): boolean;
  term(): number;
  /** The configuration in force, committed or not. */
  configuration(): Configuration;
  /** Whether the configuration in force is committed and, as this leader knows, no entry of its log replaces it. */
  configurationIsCommitted(): boolean;
  caughtUp(id: number): boolean;
  change(change: MemberChange): ProposeResult;
  /** With `onlyTerm` the command is appended by this peer in that term or never. */
  propose(command: Uint8Array, options: { readonly onlyTerm?: number }): Promise<TxnResult>;
  /** Names, addresses or members have changed. */
  changed(): void;
  promoted(): void;
  /** A malformed record was applied. */
  malformed(why: string): void;
  /** This release can no longer read the log. */
  fail(error: Error): void;
  note(level: NoteLevel, message: string): void;
}

/** The outcome of one step of a change. */
type Step = { readonly kind: 'done' } | { readonly kind: 'refused' | 'unknown'; readonly message: string };

interface PendingChange {
  readonly term: number;
  readonly resolve: (outcome: Step) => void;
}

/** The members of the cluster: their records in the state, and changes of membership, one at a time, decided by the leader. */
export class Members {
  readonly #ports: MembersPorts;
  readonly #records: MemberRecords;
  readonly #promises: Promises;
  /** Changes of membership in this peer's log as the leader, by index. */
  readonly #pending = new Map<number, PendingChange>();
  #turn: Promise<unknown> = Promise.resolve();
  /** Changes under way or waiting for their turn. */
  #waiting = 0;
  #publishing = false;

  constructor(ports: MembersPorts) {
    this.#ports = ports;
    this.#records = new MemberRecords(ports.malformed);
    this.#promises = new Promises(ports.files, (error) =>
      ports.note('warn', `could not record which members have taken part: ${error.message}`),
    );
  }

  /** Reads the records of a state; called again after another state has replaced it. */
  async load(machine: StateMachine): Promise<void> {
    await this.#records.load(machine);
    this.#recordsChanged();
  }

  /** The state has changed. */
  applied(events: readonly AppliedEvent[]): void {
    if (this.#records.applied(events)) this.#recordsChanged();
  }

  #recordsChanged(): void {
    const { entryForms, fail, changed } = this.#ports;
    const { entryForm } = this.#records;
    if (entryForm > entryForms.reads) {
      fail(
        new Error(
          `the cluster writes log entries of form ${entryForm}: upgrade this peer, which reads up to form ${entryForms.reads}`,
        ),
      );
      return;
    }
    changed();
  }

  /** The newest form of log entries that this peer may propose. */
  get entryForm(): number {
    const { entryForms, rules } = this.#ports;
    return rules.writesFormOfCluster ? Math.min(this.#records.entryForm, entryForms.writes) : entryForms.writes;
  }

  info(id: number): MemberInfo {
    const founder = this.#ports.founders.find((member) => member.id === id);
    return this.#records.info(id) ?? founder ?? { id, name: '', peerUrls: [] };
  }

  /** The member as log lines name it. */
  describe(id: number): string {
    return memberText(this.info(id));
  }

  wasRemoved(id: number): boolean {
    return this.#records.wasRemoved(id);
  }

  /** Reports whether the member has taken part. If so, a peer with this id and an empty disk has lost its data. */
  hasStarted(id: number): boolean {
    return this.#records.info(id)?.started === true || this.#records.wasRemoved(id);
  }

  /** Reports the same of a founder that may have promised something to this peer before the state recorded it. */
  mayHavePromised(id: number): boolean {
    return this.hasStarted(id) || this.#promises.has(id);
  }

  /** Notes a message of another member before the consensus core counts it. */
  received(message: Message): void {
    if (this.#ports.rules.remembersPromises) this.#promises.received(message);
  }

  /** The members of a configuration; by default of the one in force, committed or not. */
  list(config: Configuration = this.#ports.configuration()): readonly MemberReport[] {
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
    pending.resolve(pending.term === entry.term ? DONE : refused('another leader has replaced the change'));
  }

  /**
   * This peer has lost its leadership: changes above the commit index may or may not happen. Those up to it (a leader's own removal
   * ends its leadership) are settled when they are applied.
   */
  lostLeadership(commit: number): void {
    for (const [index, { resolve }] of this.#pending) {
      if (index <= commit) continue;
      this.#pending.delete(index);
      resolve(LEADERSHIP_LOST);
    }
  }

  /** The end of pending changes will not be seen: the peer stops, or a snapshot has replaced the entries. */
  giveUp(): void {
    for (const { resolve } of this.#pending.values()) resolve(LEADERSHIP_LOST);
    this.#pending.clear();
  }

  add(request: AddMember): Promise<ControlResult<MemberReport>> {
    return this.#exclusively(async () => {
      const peerUrls = [...request.peerUrls].sort();
      if (peerUrls.length === 0) return refused('a member needs a peer URL, like https://HOST:PORT');
      const bad = peerUrls.find((url) => !isPeerUrl(url));
      if (bad !== undefined) return refused(`'${bad}' is not a peer URL like https://HOST:PORT`);
      const taken = this.list().find((member) => member.peerUrls.some((url) => peerUrls.includes(url)));
      if (taken !== undefined) return refused(`member ${memberText(taken)} has that peer URL`);
      const { clusterId, world, rules, propose } = this.#ports;
      const id = idFrom([clusterId, ...peerUrls, world.random.uuid()]);
      const stays = request.staysLearner === true ? { staysLearner: true } : {};
      const info: MemberInfo = { id, name: request.name ?? '', peerUrls, ...stays };
      const noted = await this.#write({ compares: [this.#records.unchanged(id)], ops: [putMember(info)] });
      if (noted.kind !== 'done') return noted;
      const changed = await this.#change({ kind: 'addLearner', id: toPeerId(id) });
      if (changed.kind === 'done') return { kind: 'ok', value: { id, name: info.name, peerUrls, learner: true } };
      // Remove the record only if the learner was certainly not added. Otherwise a leader removes it as soon as that is
      // certain (`tend`).
      const removal: Txn = { compares: [], ops: [{ kind: 'delete', key: memberKey(id) }] };
      if (changed.kind === 'refused') await this.#write(removal);
      else if (!rules.keepsUncertainMembers) await propose(encodeEntry({ kind: 'txn', txn: removal }), {});
      return changed;
    });
  }

  /** Replaces the peer URLs of a member, for instance before its machine gets another address. */
  update({ id, peerUrls: given }: UpdateMember): Promise<ControlResult<MemberReport>> {
    return this.#exclusively(async () => {
      const peerUrls = [...given].sort();
      if (peerUrls.length === 0) return refused('a member needs a peer URL, like https://HOST:PORT');
      const bad = peerUrls.find((url) => !isPeerUrl(url));
      if (bad !== undefined) return refused(`'${bad}' is not a peer URL like https://HOST:PORT`);
      const before = this.list().find((member) => member.id === id);
      if (before === undefined) return refused('not a member of this cluster');
      const taken = this.list().find(
        (other) => other.id !== id && other.peerUrls.some((url) => peerUrls.includes(url)),
      );
      if (taken !== undefined) return refused(`member ${memberText(taken)} has that peer URL`);
      const record = putMember({ ...this.info(id), peerUrls });
      const written = await this.#write({ compares: [this.#records.unchanged(id)], ops: [record] });
      return written.kind === 'done' ? { kind: 'ok', value: { ...before, peerUrls } } : written;
    });
  }

  promote(id: number): Promise<ControlResult<null>> {
    return this.#exclusively(async () => {
      if (!this.#ports.configuration().learners.includes(toPeerId(id))) return refused('not a learner of this cluster');
      // The others can detect the loss of data of a voter.
      if (!this.hasStarted(id)) return refused('the learner has not yet recorded that it takes part: try again');
      const changed = await this.#change({ kind: 'addVoter', id: toPeerId(id) });
      if (changed.kind !== 'done') return changed;
      this.#ports.promoted();
      return { kind: 'ok', value: null };
    });
  }

  remove(id: number): Promise<ControlResult<null>> {
    return this.#exclusively(async () => {
      if (!memberIds(this.#ports.configuration()).includes(toPeerId(id)))
        return refused('not a member of this cluster');
      // Record the removal by name first: the next leader then finds that it is no longer a member, and records its
      // removal.
      if (this.#records.info(id) === undefined) {
        const noted = await this.#write({ compares: [this.#records.unchanged(id)], ops: [putMember(this.info(id))] });
        if (noted.kind !== 'done') return noted;
      }
      const changed = await this.#change({ kind: 'remove', id: toPeerId(id) });
      if (changed.kind !== 'done') return changed;
      await this.#recordRemoval(id);
      return { kind: 'ok', value: null };
    });
  }

  /**
   * Records that a member is permanently removed, if this leader still knows so. If it fails, the next leader repeats
   * it.
   */
  async #recordRemoval(id: number): Promise<void> {
    const { configuration, configurationIsCommitted, isLeader } = this.#ports;
    if (!isLeader() || !configurationIsCommitted() || memberIds(configuration()).includes(toPeerId(id))) return;
    const removal = { kind: 'put', key: removedKey(id), value: Buffer.from('{}') } as const;
    await this.#write({ compares: [], ops: [{ kind: 'delete', key: memberKey(id) }, removal] });
  }

  /** Records that this peer takes part, and which entries it reads. */
  async #publish(): Promise<void> {
    const { self, entryForms } = this.#ports;
    const me = this.#records.info(self);
    if (me === undefined || this.#publishing) return;
    if (me.started === true && (me.entryForm ?? 1) === entryForms.reads) return;
    this.#publishing = true;
    const record = { ...me, started: true, entryForm: entryForms.reads };
    // The comparison keeps a record from coming back after the member was removed.
    const txn = { compares: [this.#records.unchanged(self)], ops: [putMember(record)] };
    await this.#ports.propose(encodeEntry({ kind: 'txn', txn }), {});
    this.#publishing = false;
  }

  /** The periodic work of a peer, above all of a leader, on the members. */
  async tend(): Promise<void> {
    void this.#publish();
    if (!this.#ports.isLeader() || this.#waiting > 0) return;
    await this.#recordFounders();
    await this.#recordRemovals();
    await this.#promoteLearners();
    await this.#raiseEntryForm();
  }

  async #recordFounders(): Promise<void> {
    const current = memberIds(this.#ports.configuration());
    for (const founder of this.#ports.founders) {
      if (this.#records.info(founder.id) !== undefined || !current.includes(toPeerId(founder.id))) continue;
      await this.#exclusively(async () => {
        await this.#write({ compares: [this.#records.unchanged(founder.id)], ops: [putMember(founder)] });
        return DONE_QUIETLY;
      });
    }
  }

  /**
   * Records the removal of members that the committed configuration does not have. A configuration that is only
   * appended does not count: if it were cut off, its voter would be excluded from a cluster that needs it.
   */
  async #recordRemovals(): Promise<void> {
    for (const id of this.#records.ids) {
      if (this.#waiting > 0 || memberIds(this.#ports.configuration()).includes(toPeerId(id))) continue;
      await this.#exclusively(async () => {
        await this.#recordRemoval(id);
        return DONE_QUIETLY;
      });
    }
  }

  async #promoteLearners(): Promise<void> {
    for (const id of this.#ports.configuration().learners) {
      if (this.info(id).staysLearner === true || !this.#ports.caughtUp(id) || !this.hasStarted(id)) continue;
      const result = await this.promote(id);
      if (result.kind === 'ok')
        this.#ports.note('info', `learner ${this.describe(id)} has caught up and is now a voter`);
    }
  }

  /** Raises the form of log entries that may be proposed, once every member reads it. */
  async #raiseEntryForm(): Promise<void> {
    const { configuration, configurationIsCommitted, entryForms, rules, note } = this.#ports;
    if (!configurationIsCommitted()) return;
    const read = memberIds(configuration()).map((id) => this.#records.info(id)?.entryForm ?? 1);
    const form = rules.raisesReadForms ? Math.min(entryForms.writes, ...read) : entryForms.writes;
    if (form <= this.#records.entryForm || this.#waiting > 0) return;
    const written = await this.#write({ compares: [this.#records.clusterUnchanged()], ops: [putEntryForm(form)] });
    if (written.kind === 'done')
      note('info', `every member reads log entries of form ${form}: they are written from now on`);
  }

  /** Runs one change after another. */
  async #exclusively<T>(run: () => Promise<ControlResult<T>>): Promise<ControlResult<T>> {
    if (this.#waiting >= MEMBER_LIMITS.changesMax) return refused('too many membership changes are waiting');
    this.#waiting++;
    const mine = this.#turn.then(run);
    this.#turn = mine.catch(() => {}).finally(() => this.#waiting--);
    return mine;
  }

  #change(change: MemberChange): Promise<Step> {
    const result = this.#ports.change(change);
    if (result.kind === 'refused') return Promise.resolve(refused(result.detail));
    return new Promise((resolve) => {
      this.#pending.set(result.index, { term: result.term, resolve });
    });
  }

  /** Writes a record in the term in which this leader decided it, and in no later one. */
  async #write(txn: Txn): Promise<Step> {
    const result = await this.#ports.propose(encodeEntry({ kind: 'txn', txn }), { onlyTerm: this.#ports.term() });
    switch (result.kind) {
      case 'committed':
        return DONE;
      case 'conflict':
        return refused('the members have changed meanwhile');
      default:
        return { kind: result.kind, message: result.message };
    }
  }
}

const DONE: Step = { kind: 'done' };
const DONE_QUIETLY = { kind: 'ok', value: null } as const;
const LEADERSHIP_LOST: Step = {
  kind: 'unknown',
  message: 'leadership was lost meanwhile: look at the members before trying again',
};

function refused(message: string): { readonly kind: 'refused'; readonly message: string } {
  return { kind: 'refused', message };
}

/** Every peer connects to the URLs in the state, so the state accepts only `https://HOST:PORT`. */
function isPeerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  // The parser drops the default port.
  const plain = `https://${url.hostname}:${url.port || '443'}`;
  return [plain, `${plain}/`].includes(text.toLowerCase());
}
