export { type ClusterFolders, makeClusterFolders, type PlannedPeer } from './clusterfolders.js';
export { makeFolder } from './files.js';
export { startApiServer, type TestApiServer, type TestApiServerOptions } from './library.js';
export { type ProcessDoor, runApiServer } from './run.js';
export { PROGRAM_VERSION } from './version.js';
export { systemWorld } from './world.js';
