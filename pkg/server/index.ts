export { type ClusterFolders, makeClusterFolders, type PlannedPeer } from './clusterfolders.js';
export { type EtcdStandIn, envtestArguments, startEtcdStandIn } from './envtest.js';
export { makeFolder } from './files.js';
export { startApiServer, type TestApiServer, type TestApiServerOptions } from './library.js';
export { type ProcessDoor, runApiServer } from './run.js';
export { KUBERNETES_VERSION, PROGRAM_VERSION } from './version.js';
export { systemWorld } from './world.js';
