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
  /** Each batch, before its watches hear of it. */
  applied(batch: Applied): void;
  /** A batch found no space. It is tried again until there is some, or until the state is given up. */
  blocked(): void;
}

/** The state machine of this peer with its watches; a snapshot puts another machine in its place. */
export class ReplicatedState {
  readonly home: EngineHome;
  readonly hub: WatchHub;
  readonly #ports: StatePorts;
  #machine: StateMachine;
  #givenUp = false;
  #newestWrite: number;
  /** Replaced, and still being read. */
  readonly #retired = new Set<StateMachine>();

  private constructor(home: EngineHome, machine: StateMachine, ports: StatePorts) {
    this.home = home;
    this.#machine = machine;
    this.#ports = ports;
    this.hub = new WatchHub(machine);
    this.#newestWrite = machine.applied;
  }

  /** Opens the current engine (which takes the lock of the folder) and loads the state, checking all of it. */
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

  /** Goes on with `engine`, which already is the home's current one. Where that fails, or the state is given up meanwhile, it is closed. */
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
    // Reads under way end by themselves; then the old files go.
    void old
      .unread()
      .then(() => this.#retire(old))
      .then(() => (this.#givenUp ? undefined : this.home.sweep()))
      .catch((error: Error) => this.#ports.fail(error));
  }

  /** What it has not written nobody needs any more, and on a full disk it would wait for the room that its own files take. */
  async #retire(old: StateMachine): Promise<void> {
    await old.close({ flush: false });
    this.#retired.delete(old);
  }

  /** Whether a batch that found no space is to be tried again. */
  get goesOn(): boolean {
    return !this.#givenUp;
  }

  /** What could not be written by now will not be: the log has it. */
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
  // It may sweep before this function has it.
  const loaded: { machine?: StateMachine } = {};
  loaded.machine = await openStateMachine({
    engine,
    name,
    onApplied: (batch) => {
      // One that was replaced still sweeps, and is synced if it is closed as usual. Where it stands is no news then: told between two
      // batches of its successor, it hid the first of them from watches that began at that moment (`state.test.ts`).
      const state = owner();
      if (state === undefined || state.machine !== loaded.machine) return;
      return state.published(batch);
    },
    roomOrRetry: async () => {
      // One that was replaced keeps nobody waiting: that there is room for it again nobody would hear.
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
