export { type Brand, InvariantError, invariant, type Revision, revision } from './brand.js';
export { OrderedMap, type OrderedView } from './orderedmap.js';
export { Scheduler, Slice } from './scheduler.js';
export { withoutTrailing } from './text.js';
export { type Clock, type Random, type Timers, timerMillisecondsMax, type World } from './world.js';
