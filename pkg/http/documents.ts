import type { JsonObject, Status } from '../api/index.js';
import type { Encoding } from './negotiate.js';

/** Answers that are no stored objects: Status, discovery. */
export function encodeDocument(value: JsonObject | Status, encoding: Encoding, pretty: boolean): Buffer {
  void encoding;
  return Buffer.from(pretty ? `${JSON.stringify(value, null, 2)}\n` : `${JSON.stringify(value)}\n`);
}
