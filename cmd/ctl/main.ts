#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { type Offline, runCtl } from '../../pkg/client/index.js';

/** Commands that work on files. Their modules are loaded on demand, so that `status` starts quickly. */
const offline: Offline = {
  snapshotStatus: async (file) => (await import('../../pkg/peer/index.js')).snapshotStatus(file),
  inspect: async (path) => (await import('../../pkg/peer/index.js')).inspectOffline(path),
  find: async (path, key, revision) => (await import('../../pkg/peer/index.js')).findOffline(path, key, revision),
  async restore({ file, dataDir, name, initialCluster, token }) {
    const { PEER_DEFAULTS, restoreSnapshot } = await import('../../pkg/peer/index.js');
    const { makeFolder, systemWorld } = await import('../../pkg/server/index.js');
    makeFolder(dataDir);
    const named = token === undefined ? {} : { initialClusterToken: token };
    return restoreSnapshot(file, { ...PEER_DEFAULTS, name, dataDir, initialCluster, ...named }, systemWorld);
  },
  controllers: async () => (await import('../../pkg/server/index.js')).CONTROLLERS,
  requestCertificate: async (subject) => (await import('../../pkg/server/index.js')).requestCertificate(subject),
  kubeconfigText: async (parts) => (await import('../../pkg/server/index.js')).kubeconfigText(parts),
  writeSecret: async (file, text) => writeFileSync(file, text, { mode: 0o600, flag: 'wx' }),
  makeFolders: async (folder, peers) => (await import('../../pkg/server/index.js')).makeClusterFolders(folder, peers),
};

async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runCtl(args, {
    offline,
    version: '0.1.0',
    env: process.env,
    print: (text) => process.stdout.write(text),
    complain: (text) => process.stderr.write(`triremectl: ${text}\n`),
  });
}

void main(process.argv.slice(2));
