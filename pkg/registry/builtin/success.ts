import type { JsonObject } from '../../api/index.js';

/** The response of an action that has no other result. */
export const SUCCESS: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
