import type { JsonValue } from '../../api/index.js';

/** A value of which only its JSON is known. Stands in a tree only on its way to the protobuf encoder, which knows what to do with it. */
export class Verbatim {
  readonly json: Buffer;

  constructor(json: Buffer) {
    this.json = json;
  }
}

export function verbatim(json: Buffer): JsonValue {
  return new Verbatim(json) as unknown as JsonValue;
}
