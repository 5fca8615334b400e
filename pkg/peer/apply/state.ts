import type { World } from '../../base/index.js';
import {
  type Applied,
  type Engine,
  type EngineHome,
  openStateMachine,
  type StateMachine,
  StoreError,
  WatchHub,
} from '../../storage/index.js';
import { SNAPSHOT_LIMITS, SPACE_LIMITS, Throttle } from '../common/index.js';

export interface StatePorts {
  readonly world: World;
  fail(error: Error): void;
  /** Called with each batch, before its watches. */
  applied(batch: Applied): void;
  /** A batch failed for lack of space. It is retried until there is space or the state is closed. */
  blocked(): void;
}

/** The state machine of this peer with its watches. A snapshot replaces the machine. */
export class ReplicatedState {
  readonly home: EngineHome;
  readonly hub: WatchHub;
  readonly #ports: StatePorts;
  #machine: StateMachine;
  #givenUp = false;
  #newestWrite: number;
  /** Replaced machines that still have readers. */
  readonly #retired = new Set<StateMachine>();

  private constructor(home: EngineHome, machine: StateMachine, ports: StatePorts) {
    this.home = home;
    this.#machine = machine;
    this.#ports = ports;
    this.hub = new WatchHub(machine);
    this.#newestWrite = machine.applied;
  }

  /** Opens the current engine, which locks the folder, and loads and checks the whole state. */
  static async open(home: EngineHome, ports: StatePorts): Promise<ReplicatedState> {
    const engine = await home.open();
    try {
      const box: { state?: ReplicatedState } = {};
      const machine = await loadMachine(engine, home.name, ports, () => box.state);
      box.state = new ReplicatedState(home, machine, ports);
      return box.state;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  get machine(): StateMachine {
    return this.#machine;
  }

  /** Revision of the newest change of a key, as far as this process knows. */
  get newestWrite(): number {
    return this.#newestWrite;
  }

  /** Called with each batch of the machine. */
  published(batch: Applied): void | Promise<void> {
    this.#newestWrite = batch.events.at(-1)?.revision ?? this.#newestWrite;
    this.#ports.applied(batch);
    return this.hub.publish(batch);
  }

  /**
   * Continues with `engine`, which is already the current one of the data folder. It is closed if this fails or the
   * state is closed meanwhile.
   */
  async replace(engine: Engine): Promise<void> {
    const old = this.#machine;
    const pace = new Throttle(this.#ports.world, SNAPSHOT_LIMITS.loading);
    const rest = async (bytes: number): Promise<void> => {
      if (!this.#givenUp) await pace.rest(bytes);
      if (this.#givenUp)
        throw new StoreError('closed', `the store in ${this.home.name} was given up while it was read`);
    };
    try {
      this.#machine = await loadMachine(engine, this.home.name, this.#ports, () => this, rest);
    } catch (error) {
      await engine.close();
      throw error;
    }
    this.#newestWrite = this.#machine.applied;
    this.hub.replaceSource(this.#machine);
    this.#retired.add(old);
    // The old files are removed when the active reads have ended.
    void old
      .unread()
      .then(() => this.#retire(old))
      .then(() => (this.#givenUp ? undefined : this.home.sweep()))
      .catch((error: Error) => this.#ports.fail(error));
  }

  /**
   * Drop unwritten changes: they are not needed, and on a full disk they would wait for the space that the old files
   * take.
   */
  async #retire(old: StateMachine): Promise<void> {
    await old.close({ flush: false });
    this.#retired.delete(old);
  }

  /** Reports whether a batch that found no space is retried. */
  get goesOn(): boolean {
    return !this.#givenUp;
  }

  /** Unwritten changes are dropped: the log has them. */
  giveUp(): void {
    this.#givenUp = true;
  }

  async close(message: string): Promise<void> {
    this.giveUp();
    this.hub.stop(message);
    await Promise.all([...this.#retired].map((old) => this.#retire(old)));
    await this.#machine.close();
  }
}

async function loadMachine(
  engine: Engine,
  name: string,
  ports: StatePorts,
  owner: () => ReplicatedState | undefined,
  rest?: (bytes: number) => Promise<void>,
): Promise<StateMachine> {
  const { timers } = ports.world;
  // The machine may sweep before this function returns it.
  const loaded: { machine?: StateMachine } = {};
  loaded.machine = await openStateMachine({
    engine,
    name,
    onApplied: (batch) => {
      // A replaced machine still sweeps and syncs. Its batches must not be published: a batch between two batches of
      // its successor would hide the first of those from watches that begin at that time (`state.test.ts`).
      const state = owner();
      if (state === undefined || state.machine !== loaded.machine) return;
      return state.published(batch);
    },
    roomOrRetry: async () => {
      // A replaced machine must not block the peer, because nothing would ever unblock it.
      const state = owner();
      if (state === undefined || state.machine === loaded.machine) ports.blocked();
      await new Promise<void>((resolve) => timers.after(SPACE_LIMITS.retryMs, resolve));
      return owner()?.goesOn ?? false;
    },
    onFailure: (error) => ports.fail(error),
    yieldThread: () => new Promise<void>((resolve) => timers.immediate(resolve)),
    ...(rest === undefined ? {} : { rest }),
  });
  return loaded.machine;
}
