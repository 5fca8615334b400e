export { openPeerHere, openPeerThread, type PeerHandle } from './spawn.js';
