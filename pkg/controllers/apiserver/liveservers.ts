import { isObject, type JsonValue } from '../../api/index.js';
import type { World } from '../../base/index.js';
import { type Keyspace, prefixEnd, type Watch } from '../../storage/index.js';

/**
 * The list of running API servers: one key for each, which its server renews and which expires when the server dies. As
 * in kube-apiserver, the keys are not API objects.
 */

const PREFIX = '/registry/masterleases/';
const LEASE_MILLISECONDS = 15_000;
const RENEWAL_MILLISECONDS = 10_000;
/** The delay before an ended watch is restarted. */
const WATCH_PAUSE_MILLISECONDS = 1_000;

/** The address at which clients inside the cluster reach an API server. */
export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

export interface LiveServer {
  /** Removes the entry at once, so that clients are not sent to a stopping server. */
  withdraw(): Promise<void>;
  /** Stops renewing. */
  stop(): void;
}

type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void;

const keyOf = ({ address, port }: ServerAddress): string => `${PREFIX}${address}/${port}`;

/** Adds this server to the list and renews the entry until `stop`. */
export function announceServer(keyspace: Keyspace, world: World, server: ServerAddress, log: Log): LiveServer {
  const key = keyOf(server);
  const value = Buffer.from(JSON.stringify({ address: server.address, port: server.port }));
  let stopped = false;
  let writing: Promise<unknown> = Promise.resolve();
  const renew = (): void => {
    const expiresAt = world.clock.now() + LEASE_MILLISECONDS;
    writing = keyspace
      .txn({ compares: [], ops: [{ kind: 'put', key, value, expiresAt }] })
      .catch((error: unknown) => log('could not renew the entry of this API server', { error: String(error) }));
  };
  const stopRenewing = world.timers.every(RENEWAL_MILLISECONDS, renew);
  renew();
  const stop = (): void => {
    stopped = true;
    stopRenewing();
  };
  return {
    stop,
    async withdraw() {
      if (stopped) return;
      stop();
      await writing;
      // Without a leader the entry cannot be removed; it expires.
      if (!keyspace.status().hasLeader) return;
      await keyspace.txn({ compares: [], ops: [{ kind: 'delete', key }] }).catch((error: unknown) => {
        log('could not remove the entry of this API server', { error: String(error) });
      });
    },
  };
}

/** The running servers, sorted by address. */
export async function liveServers(keyspace: Keyspace): Promise<readonly ServerAddress[]> {
  const read = await keyspace.range({ start: PREFIX, end: prefixEnd(PREFIX) });
  if (read.kind !== 'ok') throw new Error(`cannot read ${PREFIX}`);
  return read.items.flatMap(({ value }) => {
    const entry = JSON.parse(Buffer.from(value).toString()) as JsonValue;
    if (!isObject(entry)) return [];
    return [{ address: String(entry['address']), port: Number(entry['port']) }];
  });
}

/** Calls `changed` when a server is added or removed; renewals do not count. Returns a function that stops it. */
export function watchLiveServers(keyspace: Keyspace, world: World, changed: () => void): () => void {
  const present = new Set<string>();
  let watch: Watch | undefined;
  let stopped = false;
  let cancelPause: () => void = () => {};
  const begin = (): void => {
    if (stopped) return;
    watch = keyspace.watch(
      { start: PREFIX, end: prefixEnd(PREFIX), after: keyspace.status().applied, previous: false },
      {
        events: (batch) => {
          let differs = false;
          for (const change of batch.flatMap((event) => event.changes)) {
            const key = change.kind === 'put' ? change.current.key : change.key;
            if (change.kind === 'put' ? present.has(key) : !present.has(key)) continue;
            if (change.kind === 'put') present.add(key);
            else present.delete(key);
            differs = true;
          }
          if (differs) changed();
        },
        end: () => {
          cancelPause = world.timers.after(WATCH_PAUSE_MILLISECONDS, begin);
        },
      },
    );
    // Something may have changed before the watch began.
    void liveServers(keyspace).then(
      (servers) => {
        for (const server of servers) present.add(keyOf(server));
        if (!stopped) changed();
      },
      () => {
        // The store stops, or the watch restarts.
      },
    );
  };
  begin();
  return () => {
    stopped = true;
    cancelPause();
    watch?.cancel();
  };
}
