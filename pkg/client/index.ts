export { type Access, accessOf, ClientError } from './access.js';
export type { Offline, RestoreRequest } from './commands/command.js';
export { ask, askAny, Unreachable } from './http.js';
export { findMember, idText, listMembers, type Member, type PeerStatus, statusOf } from './peers.js';
export { type CtlDoor, runCtl } from './run.js';
