import type { JsonObject } from '../../api/index.js';
import { Bench } from '../testing.js';
import { compile } from './compile.js';

const NAMES = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };

/** The kind that `openBoxes` serves. */
export const BOXES = 'boxes.example.com/v1';

/** Opens a registry with one custom kind, Box of example.com/v1. `spec` is the schema of its spec. */
export async function openBoxes(spec: JsonObject): Promise<Bench> {
  const bench = await Bench.open();
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const definition = { group: 'example.com', scope: 'Namespaced', names: NAMES, versions };
  await bench.registry.changeKinds({ set: [compile(definition, NAMES)] });
  return bench;
}
