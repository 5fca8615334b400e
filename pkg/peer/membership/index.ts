export { findIdentity, type LoadTransport } from './join.js';
export { MEMBERS, type MemberInfo, Members, memberKey, REMOVED } from './members.js';
export { type AddMember, type ControlResult, HAS_STARTED, type HasStarted, type MemberReport } from './types.js';
