import { createHash } from 'node:crypto';
import { compareText, type JsonObject } from '../../api/index.js';
import type { Parameter } from './parameters.js';

/** Parameters that stay where they are used, as in kube-apiserver: older clients look for the last two in each operation. */
const IN_PLACE: ReadonlySet<string> = new Set(['name', 'fieldValidation', 'dryRun']);

/** Bodies of these types belong to operations of many kinds. */
const MACHINERY = '#/definitions/io.k8s.apimachinery';

/** The parameters of a v2 document that are written once; operations refer to them. */
export class SharedParameters {
  /** The written form by parameter, because the same values describe many operations. */
  readonly #written = new Map<Parameter, JsonObject>();
  readonly #names = new Map<string, string>();
  readonly #all = new Map<string, JsonObject>();

  parameter(p: Parameter): JsonObject {
    let written = this.#written.get(p);
    if (written === undefined) {
      const whole = parameterObject(p);
      written = IN_PLACE.has(p.name) ? whole : this.#share(whole);
      this.#written.set(p, written);
    }
    return written;
  }

  /** A body: shared unless its type belongs to one kind. */
  body(whole: JsonObject): JsonObject {
    const reference = (whole['schema'] as JsonObject)['$ref'];
    return typeof reference === 'string' && reference.startsWith(MACHINERY) ? this.#share(whole) : whole;
  }

  /** All shared parameters by name. */
  sorted(): readonly (readonly [name: string, parameter: JsonObject])[] {
    return [...this.#all].sort(([a], [b]) => compareText(a, b));
  }

  #share(whole: JsonObject): JsonObject {
    const text = JSON.stringify(whole);
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `${String(whole['name'])}-${shortHash(text)}`;
      this.#names.set(text, name);
      this.#all.set(name, whole);
    }
    return { $ref: `#/parameters/${name}` };
  }
}

/** Parameters of one name are few: 48 bits tell them apart. */
const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 6).toString('base64url');

function parameterObject(p: Parameter): JsonObject {
  return {
    uniqueItems: true,
    type: p.type,
    ...(p.description !== '' && { description: p.description }),
    name: p.name,
    in: p.in,
    ...(p.in === 'path' && { required: true }),
  };
}
