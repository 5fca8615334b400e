export { type Brand, InvariantError, invariant, type Revision, revision } from './brand.js';
export { ExpiringCache } from './expiringcache.js';
export { Flows } from './flows.js';
export { OrderedMap, type OrderedView } from './orderedmap.js';
export { PutOff } from './putoff.js';
export { finish, type Pace, runSteps, Scheduler, Slice, type Steps } from './scheduler.js';
export { sortSteps } from './sort.js';
export { withoutTrailing } from './text.js';
export { type Clock, type Random, type Timers, timerMillisecondsMax, type World } from './world.js';
