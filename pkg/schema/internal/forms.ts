import { readData } from '../data.js';
import type { Field, StructSchema } from '../types.js';

/** A field of a kube-apiserver internal type. */
export interface InternalField {
  readonly name: string;
  /** Absent: no version of the API has it, and its value is always `zero`. */
  readonly field?: Field;
  readonly zero?: string;
  readonly plain: boolean;
}

/** The content of `data/internal.forms`, read on first use, because few error messages show a value. */
interface Forms {
  readonly names: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, readonly Remark[]>;
}

interface Remark {
  readonly field: string;
  readonly word: string;
  readonly args: readonly string[];
}

let read: Forms | undefined;
const compiled = new WeakMap<StructSchema, readonly InternalField[]>();

/** The fields of an internal type, with their order and names. */
export function internalFields(schema: StructSchema): readonly InternalField[] {
  let fields = compiled.get(schema);
  if (fields === undefined) {
    read ??= parse(readData('internal.forms'));
    fields = compile(schema, read);
    compiled.set(schema, fields);
  }
  return fields;
}

function parse(text: string): Forms {
  const names = new Map<string, string>();
  const types = new Map<string, Remark[]>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [first = '', second = '', third = '', ...rest] = line.split(' ');
    if (first === 'name') {
      names.set(second, third);
      continue;
    }
    const remark =
      second === 'own' ? { field: third, word: second, args: rest } : { field: second, word: third, args: rest };
    const known = types.get(first);
    if (known === undefined) types.set(first, [remark]);
    else known.push(remark);
  }
  return { names, types };
}

function compile(schema: StructSchema, forms: Forms): readonly InternalField[] {
  // Kind and apiVersion are empty in internal types, and empty ones are not printed.
  const isKind = schema.byName.get('metadata')?.schema.kind === 'struct' && schema.byName.has('apiVersion');
  const out: InternalField[] = schema.fields
    .filter((f) => !isKind || (f.name !== 'kind' && f.name !== 'apiVersion'))
    .map((field) => ({
      name: forms.names.get(field.name) ?? field.name.charAt(0).toUpperCase() + field.name.slice(1),
      field,
      plain: !field.pointer,
    }));
  for (const remark of remarks(schema, forms)) apply(remark, out);
  return out;
}

/** Fields of the type and of its inlined types. */
function remarks(schema: StructSchema, forms: Forms): readonly Remark[] {
  const types = new Set([schema.name, ...schema.fields.flatMap((f) => f.inlineIn?.schema.name ?? [])]);
  return [...types].flatMap((type) => forms.types.get(type) ?? []);
}

function apply({ field, word, args: [arg = '', place = ''] }: Remark, out: InternalField[]): void {
  const indexOf = (name: string): number => out.findIndex((f) => f.field?.name === name);
  if (word === 'own') {
    out.splice(indexOf(place) + 1, 0, { name: field, zero: arg, plain: true });
    return;
  }
  const i = indexOf(field);
  const found = out[i];
  if (found === undefined) throw new Error(`schema: internal.forms tells of a field ${field} that its type has not`);
  switch (word) {
    case 'named':
      out[i] = { ...found, name: arg };
      return;
    case 'plain':
      out[i] = { ...found, plain: true };
      return;
    case 'absent':
      out.splice(i, 1);
      return;
    case 'after':
      out.splice(i, 1);
      out.splice(indexOf(arg) + 1, 0, found);
      return;
    default:
      throw new Error(`schema: internal.forms: unknown word ${word}`);
  }
}
