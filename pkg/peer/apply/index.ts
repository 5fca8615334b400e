export { Applier } from './applier.js';
export { HashChecks } from './hashchecks.js';
export { ReplicatedState } from './state.js';
