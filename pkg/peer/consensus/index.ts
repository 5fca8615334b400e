export { DrivenRaft } from './driven.js';
export { startRaft } from './start.js';
