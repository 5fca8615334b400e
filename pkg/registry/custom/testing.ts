import type { JsonObject } from '../../api/index.js';
import { Bench } from '../testing.js';
import { compile } from './compile.js';

const NAMES = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };

/** The kind that `openBoxes` serves. */
export const BOXES = 'boxes.example.com/v1';

/** Opens a registry with one custom kind, Box of example.com/v1. `properties` are those of its schema, `more` further fields of its version. */
export async function openBoxes(properties: JsonObject, more: JsonObject = {}): Promise<Bench> {
  const bench = await Bench.open();
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const versions = [{ name: 'v1', served: true, storage: true, schema, ...more }];
  const definition = { group: 'example.com', scope: 'Namespaced', names: NAMES, versions };
  await bench.registry.changeKinds({ set: [compile(definition, NAMES)] });
  return bench;
}
