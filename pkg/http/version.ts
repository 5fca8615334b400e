import type { JsonObject } from '../api/index.js';

/** The API level of the server. */
export const API_VERSION = { major: '1', minor: '37', gitVersion: 'v1.37.0' } as const;

/** The response of `/version`. Clients use `major` and `minor` to decide which features they may use. */
export const VERSION_DOCUMENT: JsonObject = {
  major: API_VERSION.major,
  minor: API_VERSION.minor,
  emulationMajor: API_VERSION.major,
  emulationMinor: API_VERSION.minor,
  minCompatibilityMajor: API_VERSION.major,
  minCompatibilityMinor: '36',
  gitVersion: API_VERSION.gitVersion,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node ${process.version}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};
