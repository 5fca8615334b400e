import type { EventStream, Frames } from './requests.js';

/** A watch that fails before its first event: it consists of an ERROR event. */
export class FailedStream implements EventStream {
  readonly ended = true;
  #frames: Frames | undefined;

  constructor(payload: Buffer) {
    this.#frames = { payload, events: 1, error: true, framed: undefined };
  }

  take(): Frames | undefined {
    const frames = this.#frames;
    this.#frames = undefined;
    return frames;
  }

  /** The stream has ended, so it never becomes ready. */
  onReady(): void {}

  /** Nothing follows the error. */
  bookmark(): void {}

  close(): void {
    this.#frames = undefined;
  }
}
