export { type Brand, InvariantError, invariant, type Revision, revision } from './brand.js';
export type { Clock, Random, Timers, World } from './world.js';
