import type { JsonObject } from '../../api/index.js';

/** What an action answers that has nothing else to tell. */
export const SUCCESS: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
