import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type JsonObject, parseApiVersion } from '../api/index.js';
import { type KindSchema, kindSchema } from '../schema/index.js';

/** Shared by this room's tests: the public fixtures beside the checkout, where there are any. */
export interface Fixture {
  readonly name: string;
  readonly kind: KindSchema;
  readonly json: Buffer;
  readonly yaml: Buffer;
  readonly protobuf: Buffer;
  readonly value: JsonObject;
}

const folder = new URL('../../../shared/fixtures/kubernetes-api/', import.meta.url);

/** undefined: this checkout has no fixtures beside it, and the test says so. */
export function fixtures(): readonly Fixture[] | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((f) => f.endsWith('.json'));
  return names.map((file) => {
    const name = file.slice(0, -'.json'.length);
    const read = (suffix: string): Buffer => readFileSync(new URL(`${name}.${suffix}`, folder));
    const json = read('json');
    const value = JSON.parse(json.toString()) as JsonObject;
    const gv = parseApiVersion(String(value['apiVersion'] ?? 'v1'))!;
    return {
      name,
      kind: kindNamed(String(value['kind'] ?? 'WatchEvent'), gv.group, gv.version),
      json,
      yaml: read('yaml'),
      protobuf: read('pb'),
      value,
    };
  });
}

export function kindNamed(kind: string, group = '', version = 'v1'): KindSchema {
  const found = kindSchema({ group, version, kind });
  if (found === undefined) throw new Error(`no kind ${group}/${version} ${kind}`);
  return found;
}
