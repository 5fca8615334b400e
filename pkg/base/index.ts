export { type Brand, InvariantError, invariant, type Revision, revision } from './brand.js';
export { withoutTrailing } from './text.js';
export { type Clock, type Random, type Timers, timerMillisecondsMax, type World } from './world.js';
