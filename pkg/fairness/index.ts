export { AUTO_UPDATE, type BootstrapFlowControl, bootstrapFlowControl, MANDATORY } from './bootstrap.js';
export { type FlowConfig, flowConfig } from './config.js';
export { DUMPS } from './dump.js';
export { estimateWork, type StoredSize, type WorkRequest } from './estimate.js';
export { type Admission, type Classification, type Estimate, Fairness, type FairnessOptions } from './fairness.js';
export { KindUses } from './kinduse.js';
export type { Rejection, Seat, Work } from './level.js';
export type { FlowRequest, FlowResource } from './matching.js';
