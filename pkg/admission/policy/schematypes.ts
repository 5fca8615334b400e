import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  escapeName,
  fieldNamed,
  INT,
  listOf,
  mapOf,
  STRING,
  type StructType,
  struct,
  TIMESTAMP,
  type Type,
} from '../../cel/index.js';
import type { ScalarSchema, Schema, StructSchema } from '../../schema/index.js';

/**
 * The CEL types of schemas, built-in and custom. Object types are created when an expression first reads one of their
 * fields, because schemas may be recursive.
 */
export class SchemaTypes {
  readonly #names = new Map<StructSchema, string>();
  readonly #types = new Map<string, StructType>();

  /** Returns the type of a value; undefined if the schema has no type, so that expressions cannot read it. */
  typeOf(schema: Schema, name: string): Type | undefined {
    switch (schema.kind) {
      case 'struct':
        return struct(this.#nameOf(schema, name));
      case 'map': {
        const values = this.typeOf(schema.values, `${name}.@elem`);
        return values === undefined ? undefined : mapOf(STRING, values);
      }
      case 'list': {
        const items = this.typeOf(schema.items, `${name}.@idx`);
        return items === undefined ? undefined : listOf(items);
      }
      case 'scalar':
        return scalarType(schema);
      case 'any':
        return schema.form === 'json' ? undefined : struct(EMPTY.name);
    }
  }

  /** Returns the fields of an object type from `typeOf`. */
  readonly resolve = (name: string): StructType | undefined => (name === EMPTY.name ? EMPTY : this.#types.get(name));

  #nameOf(schema: StructSchema, name: string): string {
    const known = this.#names.get(schema);
    if (known !== undefined) return known;
    // Two kinds may have the same name.
    if (this.#types.has(name)) return this.#nameOf(schema, `${name}'`);
    this.#names.set(schema, name);
    let fields: ReadonlyMap<string, Type> | undefined;
    this.#types.set(name, {
      name,
      field: (f) => {
        fields ??= this.#fields(schema, name);
        return fieldNamed(fields, f);
      },
    });
    return name;
  }

  #fields(schema: StructSchema, name: string): ReadonlyMap<string, Type> {
    const found = new Map<string, Type>();
    for (const field of schema.fields) {
      const escaped = escapeName(field.name);
      const type = this.typeOf(field.schema, `${name}.${field.name}`);
      if (escaped !== undefined && type !== undefined) found.set(escaped, type);
    }
    return found;
  }
}

/** An object with unknown fields. */
const EMPTY: StructType = { name: 'object', field: () => undefined };

function scalarType({ type, constraints }: ScalarSchema): Type | undefined {
  switch (type) {
    case 'bool':
      return BOOL;
    case 'int32':
    case 'int64':
      return INT;
    case 'float64':
      return DOUBLE;
    case 'bytes':
      return BYTES;
    case 'time':
    case 'microTime':
      return TIMESTAMP;
    case 'intOrString':
      return DYN;
    case 'duration':
      return STRING;
    case 'quantity':
      // Published without a type: it may be a number or a string.
      return undefined;
    case 'string':
      return FORMATS[constraints?.format ?? ''] ?? STRING;
  }
}

/** Formats of strings in custom resources. */
const FORMATS: Readonly<Record<string, Type>> = {
  byte: BYTES,
  duration: DURATION,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
};
