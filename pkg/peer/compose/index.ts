export { openPeer, type Peer, type PeerSurroundings } from './peer.js';
