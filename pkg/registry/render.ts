import type { Answer, ListResult, Representation, Target } from './requests.js';

/** A body, made piece by piece: a large list never stands in memory as a whole. */
export interface Rendering {
  /** Size of the whole when it is known before it is made (JSON lists of stored bytes, single objects). */
  readonly bytes: number | undefined;
  /** About 256 KiB each. */
  readonly chunks: Iterable<Buffer>;
}

/** The encoded answer; memoised on the stored object, so shared: never written into. */
export type RenderAnswer = (target: Target, answer: Answer, representation: Representation) => Buffer;

export type RenderList = (target: Target, result: ListResult, representation: Representation) => Rendering;
