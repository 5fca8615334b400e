export { startApiServer, type TestApiServer, type TestApiServerOptions } from './library.js';
export { type ProcessDoor, runApiServer } from './run.js';
