import type { JsonValue } from '../../api/index.js';

/** A value in the form of its JSON text. It occurs only in trees for the protobuf encoder. */
export class Verbatim {
  readonly json: Buffer;

  constructor(json: Buffer) {
    this.json = json;
  }
}

export function verbatim(json: Buffer): JsonValue {
  return new Verbatim(json) as unknown as JsonValue;
}
