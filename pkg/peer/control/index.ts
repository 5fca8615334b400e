export { CONTROL_CALLS, type PeerControl, type PeerReport } from './control.js';
export { type ControlParts, type PeerControls, peerControls } from './service.js';
