export { Admission, isBlank } from './admission.js';
export { findIdentity, type LoadTransport } from './join.js';
export { Members } from './members.js';
export { CLUSTER, hasStartedIn, MEMBERS, type MemberInfo, putMember, REMOVED } from './records.js';
export {
  type AddMember,
  type ControlResult,
  HAS_STARTED,
  HAS_STARTED_CONFIRMED,
  type HasStarted,
  type ListMembers,
  type MemberReport,
  type UpdateMember,
} from './types.js';
export { wasRemovedUnreached } from './unreached.js';
