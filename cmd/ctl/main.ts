#!/usr/bin/env node
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
  makeFolders: async (folder, peers) => (await import('../../pkg/server/index.js')).makeClusterFolders(folder, peers),
};

process.exitCode = await runCtl(process.argv.slice(2), {
  offline,
  version: '0.1.0',
  env: process.env,
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(`triremectl: ${text}\n`),
});
