// Runs simulated events one after the other. Promises of the simulated peers settle between two events: each event runs in a
// separate callback, and the platform runs all promise jobs after each callback. No event waits for a real clock or real I/O, so
// the order is the same in every run.

/** Events scheduled in one turn of the platform's event loop. A batch reduces the cost of the loop. */
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
