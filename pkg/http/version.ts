import type { Call } from './call.js';
import { encodeDocument } from './documents.js';
import { checkDocumentRoute, MEDIA_TYPES } from './negotiate.js';
import { sendBytes } from './responses.js';

/** The version of the API that is served. */
export const API_VERSION = { major: '1', minor: '37', gitVersion: 'v1.37.0' } as const;

/** What executes the server; the field for it is named after Go. */
export const RUNTIME_VERSION = `node ${process.version}`;

/** The document at `/version`. Clients decide by `major` and `minor` which features they use. */
export const VERSION_DOCUMENT = {
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
  goVersion: RUNTIME_VERSION,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
} as const;

/** `/version`, in JSON only. */
export function serveVersionDocument(call: Call): void | Promise<void> {
  checkDocumentRoute(call.exchange.headers, [MEDIA_TYPES.json]);
  return sendBytes(call, 200, MEDIA_TYPES.json, encodeDocument(VERSION_DOCUMENT, 'json', true));
}
