import {
  asGiven,
  compareText,
  goJson,
  goJsonString,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../api/index.js';
import { typeByName } from '../load.js';
import type { AnySchema, ScalarSchema, Schema, StructSchema } from '../types.js';
import { type InternalField, internalFields } from './forms.js';

/**
 * The rest is omitted: messages are for people, and a small body can have very many types whose fields are all printed.
 */
export const INTERNAL_TEXT_CHARS_MAX = 262_144;
const CUT = '...';

/**
 * Formats a value as in kube-apiserver's messages: JSON of its internal type. `type` is a type's full name
 * (`core/v1.PodSpec`) or, with `[]` before it, a list of such; `indent` as for `JSON.stringify`. Never throws for any
 * `value`; the text ends with `...` if it would be longer than `INTERNAL_TEXT_CHARS_MAX`.
 */
export function internalText(type: string, value: JsonValue | readonly JsonValue[] | undefined, indent = ''): string {
  const print = new Printer(indent);
  if (type.startsWith('[]')) print.list(typeByName(type.slice(2)), value);
  else print.value(typeByName(type), value as JsonValue | undefined);
  return print.text();
}

type Entry = readonly [name: string, print: () => void];

class Printer {
  readonly #parts: string[] = [];
  readonly #indent: string;
  #depth = 0;
  #left = INTERNAL_TEXT_CHARS_MAX;

  constructor(indent: string) {
    this.#indent = indent;
  }

  text(): string {
    return this.#left < 0 ? `${this.#parts.join('')}${CUT}` : this.#parts.join('');
  }

  value(schema: Schema, value: JsonValue | undefined): void {
    switch (schema.kind) {
      case 'struct':
        this.struct(schema, isObject(value) ? value : {});
        break;
      case 'list':
        this.list(schema.items, value);
        break;
      case 'map':
        this.#map(schema.values, value);
        break;
      case 'scalar':
        this.#add(scalarText(schema, value));
        break;
      case 'any':
        if (schema.either !== undefined && value !== undefined && value !== null) this.#either(schema.either, value);
        else this.#add(value === undefined ? 'null' : goJson(value, 'asTheyStand'));
        break;
    }
  }

  /** Inside, a schema or something else is a struct with a field for each. */
  #either({ object, or }: NonNullable<AnySchema['either']>, value: JsonValue): void {
    const schema: Entry = ['Schema', () => (isObject(value) ? this.struct(object, value) : this.#add('null'))];
    const strings = (): void => this.#add(Array.isArray(value) ? goJson(value) : 'null');
    const entries: Readonly<Record<'bool' | 'list' | 'stringList', readonly Entry[]>> = {
      bool: [['Allows', () => this.#add(String(value !== false))], schema],
      list: [schema, ['JSONSchemas', () => this.list(object, value)]],
      stringList: [schema, ['Property', strings]],
    };
    this.#entries(entries[or]);
  }

  struct(schema: StructSchema, o: JsonObject, before: readonly Entry[] = []): void {
    this.#entries([...before, ...(isTagged(schema) ? this.#tagged(schema, o) : this.#untagged(schema, o))]);
  }

  list(items: Schema, value: JsonValue | readonly JsonValue[] | undefined): void {
    if (Array.isArray(value)) this.#within('[', ']', value, (item) => this.value(items, item));
    else this.#add('null');
  }

  #map(values: Schema, value: JsonValue | undefined): void {
    if (isObject(value))
      this.#entries(
        Object.keys(value)
          .sort(compareText)
          .map((k) => [k, () => this.value(values, value[k])]),
      );
    else this.#add('null');
  }

  #untagged(schema: StructSchema, o: JsonObject): readonly Entry[] {
    return internalFields(schema).flatMap((f) => this.#field(f, o));
  }

  #field(f: InternalField, o: JsonObject): readonly Entry[] {
    const { field, zero } = f;
    if (field === undefined) return [[f.name, () => this.#add(zero ?? 'null')]];
    const value = asGiven(o, field.name);
    const { schema } = field;
    if (schema.kind === 'struct' && isMetadata(schema)) return this.#tagged(schema, isObject(value) ? value : {});
    if ((value === undefined || value === null) && !f.plain) return [[f.name, () => this.#add('null')]];
    return [[f.name, () => this.value(schema, value)]];
  }

  /** As in the API's JSON, empty fields with omitempty are omitted. */
  #tagged(schema: StructSchema, o: JsonObject): readonly Entry[] {
    return schema.fields.flatMap((f): readonly Entry[] => {
      const value = asGiven(o, f.name);
      const leftOut = value === undefined || (!f.pointer && f.schema.kind !== 'struct' && isZero(value));
      if (leftOut && (f.omitEmpty || f.pointer)) return [];
      return [[f.name, () => this.value(f.schema, value)]];
    });
  }

  #entries(entries: readonly Entry[]): void {
    const space = this.#indent === '' ? '' : ' ';
    this.#within('{', '}', entries, ([name, print]) => {
      this.#add(`${goJsonString(name)}:${space}`);
      print();
    });
  }

  #within<T>(open: string, close: string, items: readonly T[], print: (item: T) => void): void {
    this.#add(open);
    this.#depth++;
    for (const [i, item] of items.entries()) {
      if (this.#left < 0) break;
      if (i > 0) this.#add(',');
      this.#line();
      print(item);
    }
    this.#depth--;
    if (items.length > 0) this.#line();
    this.#add(close);
  }

  #line(): void {
    if (this.#indent !== '') this.#add(`\n${this.#indent.repeat(this.#depth)}`);
  }

  #add(text: string): void {
    if (this.#left < 0) return;
    this.#left -= text.length;
    this.#parts.push(this.#left < 0 ? text.slice(0, this.#left + text.length) : text);
  }
}

const isTagged = (schema: StructSchema): boolean => schema.name.startsWith('meta/v1.');
const isMetadata = (schema: StructSchema): boolean =>
  schema.name === 'meta/v1.ObjectMeta' || schema.name === 'meta/v1.ListMeta';

const isZero = (v: JsonValue): boolean =>
  v === null || v === '' || v === 0 || v === false || (Array.isArray(v) && v.length === 0) || isEmpty(v);

const isEmpty = (v: JsonValue): boolean => isObject(v) && Object.keys(v).length === 0;

function scalarText(schema: ScalarSchema, value: JsonValue | undefined): string {
  if (value === undefined || value === null || typeof value === 'object') return ZERO[schema.type];
  return typeof value === 'string' ? goJsonString(value) : String(value);
}

const ZERO: Readonly<Record<ScalarSchema['type'], string>> = {
  string: '""',
  bool: 'false',
  int32: '0',
  int64: '0',
  float64: '0',
  bytes: 'null',
  time: 'null',
  microTime: 'null',
  duration: '"0s"',
  quantity: '"0"',
  intOrString: '0',
};
