// Runs simulated events one after the other. Promises of the simulated peers settle between two events: each event runs in a
// callback of its own, and the platform empties the queue of promise jobs after each callback. No event waits for a real clock or for
// real I/O, so the order of everything is the same in every run.

/** Events planned into one turn of the platform's event loop. More of them spare the loop's own work. */
const PER_TURN = 64;

/** Calls `step` until it returns false. Rejects with what it throws. */
export function drive(step: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let over = false;
    const one = (): void => {
      if (over) return;
      try {
        if (step()) return;
        resolve();
      } catch (error) {
        reject(error);
      }
      over = true;
    };
    const turn = (): void => {
      if (over) return;
      for (let i = 0; i < PER_TURN; i++) setImmediate(one);
      setImmediate(turn);
    };
    turn();
  });
}
