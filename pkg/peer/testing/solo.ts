import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PEER_DEFAULTS, type PeerConfig } from '../common/config.js';

// Helpers for tests of the peer and of the rooms above it.

/** A cluster of one peer with short timeouts, in memory unless a folder is given. */
export function soloConfig(over: Partial<PeerConfig> = {}): PeerConfig {
  return { ...PEER_DEFAULTS, heartbeatMs: 20, electionMs: 200, diskReserveBytes: 0, ...over };
}

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'trireme-peer-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
