export { openPeerDirect, openPeerThread, type PeerHandle } from './spawn.js';
