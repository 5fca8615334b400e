import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { type JsonObject, parseApiVersion } from '../api/index.js';
import { type KindSchema, kindSchema } from '../schema/index.js';

/** An object and its encodings. */
export interface Fixture {
  readonly name: string;
  readonly kind: KindSchema;
  readonly json: Buffer;
  readonly yaml: Buffer;
  readonly protobuf: Buffer;
  readonly value: JsonObject;
}

const file = new URL('../../test/fixtures/objects.br', import.meta.url);

interface Line {
  readonly name: string;
  readonly json: string;
  readonly yaml: string;
  readonly protobuf: string;
}

/**
 * One object of every kind and version with every field set, encoded by the Go libraries of Kubernetes (test/fixtures).
 */
export function fixtures(): readonly Fixture[] {
  const lines = brotliDecompressSync(readFileSync(file)).toString().trimEnd().split('\n');
  return lines.map((line) => {
    const { name, json, yaml, protobuf } = JSON.parse(line) as Line;
    const value = JSON.parse(json) as JsonObject;
    // The type of a WatchEvent is not part of its own encoding.
    const gv = parseApiVersion(String(value['apiVersion'] ?? 'v1'))!;
    return {
      name,
      kind: kindNamed(String(value['kind'] ?? 'WatchEvent'), gv.group, gv.version),
      json: Buffer.from(json),
      yaml: Buffer.from(yaml),
      protobuf: Buffer.from(protobuf, 'base64'),
      value,
    };
  });
}

export function kindNamed(kind: string, group = '', version = 'v1'): KindSchema {
  const found = kindSchema({ group, version, kind });
  if (found === undefined) throw new Error(`no kind ${group}/${version} ${kind}`);
  return found;
}
