// Runs the scripts in testdata/: commands to a cluster, and its output. A script is a list of blocks,
//
//     # comment
//     command
//     command
//     ----
//     expected output
//
// separated by empty lines. REWRITE=1 writes the current output into the files; read the diff before you commit it.
//
//   cluster VOTERS [learners=ID,..] [spares=ID,..] [LIMIT=N ..]   peers 1..VOTERS and the others, all started
//   node ID log=TERM,.. term=T [vote=ID] [commit=N]   this peer's disk instead of an empty one (restarts it)
//   break RULE                      from the next start on, this rule of rules.ts is broken (always true)
//   campaign ID | tick ID N | propose ID TEXT.. | read ID CONTEXT | transfer ID TO | change ID +V ~L -R
//   settle [messages]               all peers run and all messages arrive, until nothing is left to do
//   ready ID                        one peer runs; its messages stay in flight
//   lead ID                         campaign and settle, without the details
//   deliver [N] [A->B] | drop [N] [A->B] | list   the messages in flight: the first N (or all) arrive; are lost; are shown
//   duplicate                       every message in flight is now there twice
//   cut ID ID | isolate ID | heal   no message passes (checked when it is sent); messages in flight stay
//   hold ID | sync ID [N]           its disk accepts writes but does not finish them; finishes N; finishes all, and from now on each
//   crash ID | start ID             what is not synced is lost
//   compact ID INDEX | stream ok|fail   compacts the log; the snapshot streams in flight end
//   stream arrives                  their data is there, but their end is not reported to the sender yet
//   unreachable ID TO               a message was not delivered
//   status [ID..] | logs [ID..] | peers ID

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type {
  Configuration,
  Entry,
  HardState,
  Message,
  MessageKind,
  PeerId,
  RaftLimits,
  Ready,
  SafetyRules,
  SnapshotRequest,
  Write,
} from './index.js';
import {
  DEFAULT_LIMITS,
  decodeConfigEntry,
  emptyConfiguration,
  initialConfiguration,
  MemoryLog,
  RaftNode,
  RULES,
  toLogIndex,
  toPeerId,
  toTerm,
} from './index.js';

const ROUNDS_MAX = 1000;
const FOLDER = new URL('./testdata/', import.meta.url);

class Peer {
  readonly id: PeerId;
  log: MemoryLog;
  hardState: HardState | undefined;
  applied = toLogIndex(0);
  node: RaftNode | undefined;
  held = false;
  writes: Write[] = [];

  constructor(id: number, config: Configuration) {
    this.id = toPeerId(id);
    this.log = new MemoryLog({ index: toLogIndex(0), term: toTerm(0), config });
  }
}

class Lab {
  #peers = new Map<number, Peer>();
  #limits: RaftLimits = DEFAULT_LIMITS;
  #rules: SafetyRules = RULES;
  #way: Message[] = [];
  #streams: SnapshotRequest[] = [];
  #cuts = new Set<string>();
  #out: string[] = [];
  #showMessages = false;

  run(line: string): readonly string[] {
    this.#out = [];
    const [name = '', ...args] = line.split(/\s+/);
    const command = this.#commands[name];
    if (command === undefined) throw new Error(`no such command: ${line}`);
    try {
      command(args);
    } catch (error) {
      this.#out.push(`! ${error instanceof Error ? error.message : String(error)}`);
    }
    return this.#out;
  }

  readonly #commands: Readonly<Record<string, (args: readonly string[]) => void>> = {
    cluster: ([count = '3', ...options]) => this.#cluster(Number(count), options),
    node: ([id, ...options]) => this.#prepare(this.#peer(id), options),
    break: ([rule = '']) => {
      this.#rules = { ...this.#rules, [rule]: BROKEN[rule] };
      for (const peer of this.#peers.values()) this.#start(peer);
    },
    campaign: ([id]) => this.#node(id).campaign(),
    tick: ([id, count = '1']) => {
      for (let i = Number(count); i > 0; i--) this.#node(id).tick();
    },
    propose: ([id, ...texts]) => {
      for (const text of texts) this.#say(id, this.#node(id).propose(new TextEncoder().encode(text)));
    },
    change: ([id, ...changes]) => {
      const kinds = { '+': 'addVoter', '~': 'addLearner', '-': 'remove' } as const;
      const list = changes.map((c) => ({ kind: kinds[c[0] as keyof typeof kinds], id: toPeerId(Number(c.slice(1))) }));
      this.#say(id, this.#node(id).proposeConfigChange({ changes: list }));
    },
    read: ([id, context]) => this.#node(id).readIndex(Number(context)),
    transfer: ([id, to]) => this.#say(id, this.#node(id).transferLeadership(toPeerId(Number(to)))),
    settle: ([how]) => this.#settle(how === 'messages'),
    ready: ([id]) => this.#work(this.#peer(id)),
    lead: ([id]) => {
      this.#node(id).campaign();
      this.#settle(false);
      const status = this.#node(id).status();
      this.#out = [`${id}: ${status.role} in term ${status.term}`];
    },
    deliver: (which) => {
      for (const message of this.#take(which)) this.#deliver(message);
    },
    drop: (which) => {
      this.#take(which);
    },
    duplicate: () => {
      this.#way.push(...this.#way.map((message) => ({ ...message })));
    },
    list: () => {
      for (const message of this.#way) this.#out.push(showMessage(message));
    },
    cut: ([a, b]) => {
      this.#cuts.add(`${a} ${b}`).add(`${b} ${a}`);
    },
    isolate: ([id]) => {
      for (const other of this.#peers.keys()) this.#cuts.add(`${id} ${other}`).add(`${other} ${id}`);
    },
    heal: () => this.#cuts.clear(),
    hold: ([id]) => {
      this.#peer(id).held = true;
    },
    sync: ([id, count]) => {
      const peer = this.#peer(id);
      if (count === undefined) peer.held = false;
      for (const write of peer.writes.splice(0, Number(count ?? peer.writes.length))) this.#persist(peer, write);
    },
    crash: ([id]) => {
      const peer = this.#peer(id);
      peer.node = undefined;
      peer.writes = [];
      peer.held = false;
    },
    start: ([id]) => this.#start(this.#peer(id)),
    compact: ([id, index]) => {
      const peer = this.#peer(id);
      peer.log.compact(this.#node(id).compact(toLogIndex(Number(index))));
    },
    stream: ([how]) => {
      if (how === 'arrives') {
        for (const message of this.#streams) this.#peer(String(message.to)).node?.step(message);
        return;
      }
      for (const message of this.#streams.splice(0)) {
        if (how === 'ok') this.#peer(String(message.to)).node?.step(message);
        this.#peer(String(message.from)).node?.reportSnapshot(message.to, how === 'ok');
      }
    },
    unreachable: ([id, to]) => this.#node(id).reportUnreachable(toPeerId(Number(to))),
    status: (ids) => this.#each(ids, (peer) => showStatus(peer)),
    logs: (ids) => this.#each(ids, (peer) => showLog(peer)),
    peers: ([id]) => {
      for (const p of this.#node(id).status().peers) {
        const flags = `${p.learner ? ' learner' : ''}${p.caughtUp ? ' caughtUp' : ''}${p.recentlyActive ? '' : ' silent'}`;
        this.#out.push(`${p.id}: ${p.state} match=${p.match} next=${p.next}${flags}`);
      }
    },
  };

  #cluster(count: number, options: readonly string[]): void {
    const given = Object.fromEntries(options.map((option) => option.split('=')));
    const { learners = '', spares = '', ...limits } = given as Record<string, string>;
    const ids = (list: string) => list.split(',').filter(Boolean).map(Number);
    this.#limits = { ...DEFAULT_LIMITS };
    for (const [name, value] of Object.entries(limits)) this.#limits = { ...this.#limits, [name]: Number(value) };
    const voters = Array.from({ length: count }, (_, i) => i + 1);
    const config = initialConfiguration(voters.map(toPeerId), ids(learners).map(toPeerId));
    this.#peers = new Map();
    this.#rules = RULES;
    this.#way = [];
    this.#streams = [];
    this.#cuts.clear();
    for (const id of [...voters, ...ids(learners)]) this.#peers.set(id, new Peer(id, config));
    for (const id of ids(spares)) this.#peers.set(id, new Peer(id, emptyConfiguration()));
    for (const peer of this.#peers.values()) this.#start(peer);
  }

  #prepare(peer: Peer, options: readonly string[]): void {
    const given = Object.fromEntries(options.map((option) => option.split('='))) as Record<string, string>;
    const terms = (given['log'] ?? '').split(',').filter(Boolean).map(Number);
    peer.log = new MemoryLog(peer.log.base());
    peer.log.append(
      terms.map(
        (term, i): Entry => ({ term: toTerm(term), index: toLogIndex(i + 1), kind: 'noop', data: new Uint8Array(0) }),
      ),
    );
    peer.hardState = {
      term: toTerm(Number(given['term'])),
      vote: Number(given['vote'] ?? 0) as PeerId,
      commit: toLogIndex(Number(given['commit'] ?? 0)),
    };
    this.#start(peer);
  }

  #start(peer: Peer): void {
    peer.node = new RaftNode(
      {
        id: peer.id,
        storage: peer.log,
        hardState: peer.hardState,
        applied: peer.applied,
        limits: this.#limits,
        // Not random: every election timeout is one and a half times electionTicks. Scripts decide which peer campaigns.
        random: () => 0.5,
      },
      this.#rules,
    );
  }

  #settle(showMessages: boolean): void {
    this.#showMessages = showMessages;
    for (let round = 0; ; round++) {
      if (round > ROUNDS_MAX) throw new Error('it does not settle');
      for (const peer of this.#peers.values()) this.#work(peer);
      if (this.#way.length === 0) break;
      for (const message of this.#way.splice(0)) this.#deliver(message);
    }
    this.#showMessages = false;
  }

  /** Takes messages from the way: `2` the first two, `1->2` those from 1 to 2, `1 1->2` the first of those. */
  #take(which: readonly string[]): readonly Message[] {
    const pair = which.find((word) => word.includes('->'));
    const count = Number(which.find((word) => !word.includes('->')) ?? Number.MAX_SAFE_INTEGER);
    const taken = this.#way.filter(({ from, to }) => pair === undefined || pair === `${from}->${to}`).slice(0, count);
    this.#way = this.#way.filter((message) => !taken.includes(message));
    return taken;
  }

  #deliver(message: Message): void {
    if (this.#showMessages) this.#out.push(showMessage(message));
    this.#peers.get(message.to)?.node?.step(message);
  }

  #work(peer: Peer): void {
    for (let ready = peer.node?.ready(); ready !== undefined; ready = peer.node?.ready()) this.#carryOut(peer, ready);
  }

  #carryOut(peer: Peer, { softState, config, write, messages, committed, reads }: Ready): void {
    const { id } = peer;
    if (softState !== undefined) {
      const leader = softState.role === 'follower' && softState.leader > 0 ? ` of ${softState.leader}` : '';
      this.#out.push(`${id}: ${softState.role}${leader} in term ${softState.term}`);
    }
    if (config !== undefined) this.#out.push(`${id}: config ${showConfig(config)}`);
    if (write?.snapshot !== undefined) this.#out.push(`${id}: installs snapshot ${showPosition(write.snapshot)}`);
    if (committed.length > 0) {
      this.#out.push(`${id}: applies ${committed.map(showEntry).join(', ')}`);
      peer.applied = committed.at(-1)!.index;
      peer.node!.applied(peer.applied);
    }
    for (const read of reads) {
      this.#out.push(
        `${id}: read ${read.context} ${read.kind === 'ready' ? `ready at ${read.index}` : `refused: ${read.reason}`}`,
      );
    }
    for (const message of messages) {
      if (this.#cuts.has(`${message.from} ${message.to}`)) continue;
      if (message.kind === 'snapshot') {
        this.#out.push(showMessage(message));
        this.#streams.push(message);
      } else {
        this.#way.push(message);
      }
    }
    if (write !== undefined && peer.held) peer.writes.push(write);
    else if (write !== undefined) this.#persist(peer, write);
  }

  #persist(peer: Peer, write: Write): void {
    if (write.snapshot !== undefined) {
      peer.log.reset(write.snapshot);
      peer.applied = write.snapshot.index;
    }
    peer.log.append(write.entries);
    peer.hardState = write.hardState;
    peer.node!.persisted(write.number);
  }

  #say(
    id: string | undefined,
    result: ReturnType<RaftNode['propose']> | ReturnType<RaftNode['transferLeadership']>,
  ): void {
    if (result.kind === 'appended') this.#out.push(`${id}: appended at ${showPosition(result)}`);
    if (result.kind === 'refused')
      this.#out.push(`${id}: refused, ${result.reason}${'detail' in result ? `: ${result.detail}` : ''}`);
  }

  #each(ids: readonly string[], show: (peer: Peer) => string): void {
    const peers = ids.length === 0 ? [...this.#peers.values()] : ids.map((id) => this.#peer(id));
    for (const peer of peers) this.#out.push(show(peer));
  }

  #peer(id: string | undefined): Peer {
    const peer = this.#peers.get(Number(id));
    if (peer === undefined) throw new Error(`no peer ${id}`);
    return peer;
  }

  #node(id: string | undefined): RaftNode {
    const { node } = this.#peer(id);
    if (node === undefined) throw new Error(`peer ${id} is down`);
    return node;
  }
}

/** The result of a rule that is broken by `break`. */
const BROKEN: Readonly<Record<string, unknown>> = {
  mayCommitByCounting: () => true,
  mayChangeConfig: () => true,
  waitsForDisk: (kind: MessageKind) => kind !== 'voteRequest' && RULES.waitsForDisk(kind),
};

function showPosition({ index, term }: { readonly index: number; readonly term: number }): string {
  return `${index}/${term}`;
}

function showEntry(entry: Entry): string {
  const text = {
    noop: () => 'noop',
    normal: () => new TextDecoder().decode(entry.data),
    config: () => showConfig(decodeConfigEntry(entry).config),
  }[entry.kind]();
  return `${showPosition(entry)} ${text}`;
}

function showConfig({ voters, votersOutgoing, learners, learnersNext }: Configuration): string {
  const part = (name: string, ids: readonly PeerId[]) => (ids.length > 0 ? ` ${name}(${ids.join(' ')})` : '');
  return `(${voters.join(' ')})${part('outgoing', votersOutgoing)}${part('learners', learners)}${part('next', learnersNext)}`;
}

function showMessage(message: Message): string {
  const { kind, from, to, term, ...rest } = message;
  const fields = Object.entries(rest)
    .filter(([name, value]) => value !== undefined && value !== false && name !== 'incarnation')
    .map(([name, value]) => {
      if (name === 'entries') return `[${(value as readonly Entry[]).map(showEntry).join(', ')}]`;
      if (name === 'snapshot') return showPosition(value as Entry);
      return value === true ? name : `${name}=${value}`;
    });
  return [`${from}->${to}`, kind, `term=${term}`, ...fields].join(' ');
}

function showStatus({ id, node }: Peer): string {
  if (node === undefined) return `${id}: down`;
  const s = node.status();
  return `${id}: ${s.role} term=${s.term} vote=${s.vote} leader=${s.leader} commit=${s.commit} applied=${s.applied} last=${s.lastIndex}`;
}

/** What is on the disk. */
function showLog({ id, log }: Peer): string {
  const first = toLogIndex(log.base().index + 1);
  const entries = log.entries(first, toLogIndex(log.lastIndex() + 1), Number.MAX_SAFE_INTEGER);
  return `${id}: ${first > 1 ? `(..${showPosition(log.base())}) ` : ''}${entries.map(showEntry).join(', ')}`;
}

/** Executes a script; returns it with its output. */
function play(script: string): string {
  const lab = new Lab();
  const blocks = script.trim().split(/\n\n+/);
  return `${blocks
    .map((block) => {
      const input = block.split('\n----')[0]!.split('\n');
      if (input.every((line) => line.startsWith('#'))) return block;
      const output = input.flatMap((line) => (line.startsWith('#') ? [] : lab.run(line)));
      return [...input, '----', ...output].join('\n');
    })
    .join('\n\n')}\n`;
}

describe('scripts', () => {
  for (const name of readdirSync(FOLDER).sort()) {
    it(name, () => {
      const file = new URL(name, FOLDER);
      const script = readFileSync(file, 'utf8');
      const played = play(script);
      if (process.env['REWRITE'] === '1') writeFileSync(file, played);
      else expect(played).toBe(script);
    });
  }
});
