import { type Revision, revision } from '../../base/index.js';
import {
  type AppliedEvent,
  type Compare,
  type KeyValue,
  type Op,
  prefixEnd,
  type StateMachine,
} from '../../storage/index.js';
import { memberIdText } from '../common/index.js';

/**
 * The consensus core knows members by id; their names and URLs are keys of the replicated state, so snapshots, restarts and every peer
 * have them alike. The keys lie outside of `/`, where the API keeps its objects.
 *
 *     !members/<id>   a MemberInfo as JSON
 *     !removed/<id>   a member that was removed; its id never comes back
 *     !cluster        {"entryForm": n}: the newest form of log entries that every member reads; absent: 1
 */
export const MEMBERS = '!members/';
export const REMOVED = '!removed/';
export const CLUSTER = '!cluster';

export interface MemberInfo {
  readonly id: number;
  readonly name: string;
  readonly peerUrls: readonly string[];
  /** Is not promoted automatically. */
  readonly staysLearner?: boolean;
  /** It has taken part: its disk holds votes and acknowledgements that the cluster counts on. */
  readonly started?: boolean;
  /** The newest form of log entries that its release reads; absent: 1. */
  readonly entryForm?: number;
}

interface Known {
  readonly info: MemberInfo;
  readonly modRevision: Revision;
}

/** The records of members as of the applied state. */
export class MemberRecords {
  #known = new Map<number, Known>();
  #removed = new Set<number>();
  #cluster: { readonly entryForm: number; readonly modRevision: Revision } = NO_CLUSTER;
  readonly #malformed: (why: string) => void;

  /** @param malformed called for a malformed record, which changes nothing */
  constructor(malformed: (why: string) => void) {
    this.#malformed = malformed;
  }

  /** Reads all records of a state. The previous ones stay until the new ones are complete. */
  async load(machine: StateMachine): Promise<void> {
    const items: KeyValue[] = [];
    for (const start of [MEMBERS, REMOVED, CLUSTER]) {
      const found = await machine.range({ start, end: prefixEnd(start) });
      if (found.kind === 'ok') items.push(...found.items);
    }
    this.#known = new Map();
    this.#removed = new Set();
    this.#cluster = NO_CLUSTER;
    for (const item of items) this.#put(item);
  }

  /** Applies changes of the state. Returns true if any of them is a record. */
  applied(events: readonly AppliedEvent[]): boolean {
    let changed = false;
    for (const { changes } of events) {
      for (const change of changes) {
        const key = change.kind === 'put' ? change.current.key : change.key;
        if (!key.startsWith('!')) continue;
        changed = true;
        if (change.kind === 'put') this.#put(change.current);
        else if (key.startsWith(MEMBERS)) this.#known.delete(idOf(key, MEMBERS));
        else if (key === CLUSTER) this.#cluster = NO_CLUSTER;
      }
    }
    return changed;
  }

  #put({ key, value, modRevision }: KeyValue): void {
    if (key.startsWith(REMOVED)) {
      this.#removed.add(idOf(key, REMOVED));
      return;
    }
    const record = parse(value);
    if (key.startsWith(MEMBERS) && isMemberInfo(record, idOf(key, MEMBERS))) {
      this.#known.set(record.id, { info: record, modRevision });
    } else if (key === CLUSTER && isForm(record?.['entryForm'])) {
      this.#cluster = { entryForm: record['entryForm'], modRevision };
    } else {
      this.#malformed(`the record ${key} of the cluster's members is malformed`);
    }
  }

  get ids(): readonly number[] {
    return [...this.#known.keys()];
  }

  info(id: number): MemberInfo | undefined {
    return this.#known.get(id)?.info;
  }

  wasRemoved(id: number): boolean {
    return this.#removed.has(id);
  }

  /** Returns the newest form of log entries that every member is known to read. */
  get entryForm(): number {
    return this.#cluster.entryForm;
  }

  /** Reports whether this peer has applied this record of the member, or its absence. */
  unchanged(id: number): Compare {
    return { key: memberKey(id), modRevision: this.#known.get(id)?.modRevision ?? revision(0) };
  }

  /** Reports the same for the record of the cluster. */
  clusterUnchanged(): Compare {
    return { key: CLUSTER, modRevision: this.#cluster.modRevision };
  }
}

/** Reports whether a member has taken part, and whether it was removed, according to the whole applied state. */
export async function hasStartedIn(
  machine: Pick<StateMachine, 'range'>,
  id: number,
): Promise<{ readonly started: boolean; readonly removed: boolean }> {
  const [member, removed] = await Promise.all(
    [memberKey(id), removedKey(id)].map((key) => machine.range({ start: key, end: `${key}\0` })),
  );
  if (member?.kind !== 'ok' || removed?.kind !== 'ok') throw new Error('the state cannot be read: try again');
  if (removed.items.length > 0) return { started: true, removed: true };
  const record = member.items[0] === undefined ? undefined : parse(member.items[0].value);
  return { started: record?.['started'] === true, removed: false };
}

export const memberKey = (id: number): string => MEMBERS + memberIdText(id);
export const removedKey = (id: number): string => REMOVED + memberIdText(id);

export function putMember(info: MemberInfo): Op {
  return { kind: 'put', key: memberKey(info.id), value: Buffer.from(JSON.stringify(info)) };
}

export function putEntryForm(entryForm: number): Op {
  return { kind: 'put', key: CLUSTER, value: Buffer.from(JSON.stringify({ entryForm })) };
}

const NO_CLUSTER = { entryForm: 1, modRevision: revision(0) };

const idOf = (key: string, prefix: string): number => Number.parseInt(key.slice(prefix.length), 16);

function parse(value: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value).toString());
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // Not JSON: the caller reports it.
    return undefined;
  }
}

function isMemberInfo(record: unknown, id: number): record is MemberInfo {
  const info = record as Partial<MemberInfo> | undefined;
  return (
    info?.id === id &&
    typeof info.name === 'string' &&
    Array.isArray(info.peerUrls) &&
    info.peerUrls.every((url) => typeof url === 'string') &&
    (info.entryForm === undefined || isForm(info.entryForm))
  );
}

function isForm(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
