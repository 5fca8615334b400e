import { existsSync, readFileSync } from 'node:fs';
import {
  type AliasDeclaration,
  type EitherDeclaration,
  type FieldDeclaration,
  parseDeclaration,
  type StructDeclaration,
  splitDeclarations,
  type TypeUse,
} from './declaration.js';
import type { AnySchema, Field, InlineMessage, ListSchema, MapSchema, Schema, StructSchema, Union } from './types.js';

/**
 * Compiles declarations into the schema graph. A package file is read at the first use of one of its types. A type is compiled at first
 * use, together with all types that it refers to. Each named type is one node.
 */
const packages = new Map<string, ReadonlyMap<string, string>>();
const named = new Map<string, NamedType>();

/** A named list or map remains text, because the field that uses it sets the list type and the keys. */
type NamedType = { readonly schema: Schema } | { readonly type: string; readonly pkg: string; readonly boxed: boolean };

const dataFolder = new URL('./data/', import.meta.url);

/** Returns the schema of a declared type by its full name (`core/v1.PodSpec`, `meta/v1.Time`); throws if it is not declared. */
export function typeByName(name: string): Schema {
  const dot = name.lastIndexOf('.');
  return use(name.slice(dot + 1), name.slice(0, dot), NO_USE);
}

/** Like `typeByName`, for a struct. */
export function structByName(name: string): StructSchema {
  const schema = typeByName(name);
  if (schema.kind !== 'struct') throw new Error(`schema: ${name} is no struct`);
  return schema;
}

/** Full names of all types that a package declares, in declaration order. */
export function typeNames(pkg: string): readonly string[] {
  return [...openPackage(pkg).keys()].map((name) => `${pkg}.${name}`);
}

const NO_USE: TypeUse = {};

const BUILT_IN: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ...(
    [
      'string',
      'bool',
      'int32',
      'int64',
      'float64',
      'bytes',
      'time',
      'microTime',
      'duration',
      'quantity',
      'intOrString',
    ] as const
  ).map((type) => [type, { kind: 'scalar', type }] as const),
  ...(['rawExtension', 'fieldsV1', 'json'] as const).map((form) => [form, { kind: 'any', form }] as const),
]);

function openPackage(pkg: string): ReadonlyMap<string, string> {
  let declarations = packages.get(pkg);
  if (declarations === undefined) {
    const file = new URL(`${pkg.replace('/', '_')}.schema`, dataFolder);
    if (!existsSync(file)) throw new Error(`schema: no package ${pkg}`);
    declarations = splitDeclarations(readFileSync(file, 'utf8'));
    packages.set(pkg, declarations);
  }
  return declarations;
}

/** Returns the schema of a type expression in package `pkg`, with the properties of its place of use. */
function use(type: string, pkg: string, at: TypeUse): Schema {
  if (type.startsWith('[]')) return list(type.slice(2), pkg, at, false);
  if (type.startsWith('map[')) return map(type, pkg, at);
  const builtIn = BUILT_IN.get(type);
  if (builtIn !== undefined) return builtIn;
  const dot = type.lastIndexOf('.');
  const found = lookUp(dot < 0 ? `${pkg}.${type}` : type);
  if ('schema' in found) {
    const schema = found.schema;
    const structType = at.structType ?? at.mapType;
    return schema.kind === 'struct' && structType !== undefined
      ? { ...schema, atomic: structType === 'atomic', mapType: structType }
      : schema;
  }
  const alias = dot < 0 ? `${pkg}.${type}` : type;
  return found.type.startsWith('[]')
    ? { ...list(found.type.slice(2), found.pkg, at, found.boxed), alias }
    : { ...map(found.type, found.pkg, at), alias };
}

function list(items: string, pkg: string, at: TypeUse, boxed: boolean): ListSchema {
  return {
    kind: 'list',
    items: use(items, pkg, NO_USE),
    listType: at.listType ?? 'atomic',
    keys: at.keys ?? [],
    ...(at.listType === undefined && { undeclared: true }),
    ...(boxed && { boxed: true }),
  };
}

function map(type: string, pkg: string, at: TypeUse): MapSchema {
  const { mapType } = at;
  const end = type.indexOf(']');
  const keys = use(type.slice('map['.length, end), pkg, NO_USE);
  const values = type.slice(end + 1);
  return {
    kind: 'map',
    values: use(values, pkg, NO_USE),
    atomic: mapType === 'atomic',
    ...(keys.kind === 'scalar' && keys.alias !== undefined && { keys: keys.alias }),
    ...(mapType !== undefined && { mapType }),
  };
}

function lookUp(name: string): NamedType {
  const known = named.get(name);
  if (known !== undefined) return known;
  const dot = name.lastIndexOf('.');
  const pkg = name.slice(0, dot);
  const text = openPackage(pkg).get(name.slice(dot + 1));
  if (text === undefined) throw new Error(`schema: unknown type ${name}`);
  const declaration = parseDeclaration(text);
  switch (declaration.kind) {
    case 'struct':
      return struct(name, pkg, declaration);
    case 'alias':
      return remember(name, alias(name, pkg, declaration));
    case 'either':
      return either(name, pkg, declaration);
  }
}

function remember(name: string, type: NamedType): NamedType {
  named.set(name, type);
  return type;
}

function alias(name: string, pkg: string, declaration: AliasDeclaration): NamedType {
  const { type, boxed, closed, rules, values } = declaration;
  if (type.startsWith('[]') || type.startsWith('map[')) return { type, pkg, boxed };
  const target = use(type, pkg, NO_USE);
  if (target.kind === 'any') return { schema: { ...target, name } };
  if (target.kind !== 'scalar' || target.type !== 'string' || target.alias !== undefined) return { schema: target };
  return {
    schema: {
      kind: 'scalar',
      type: target.type,
      alias: name,
      ...(closed && { enum: values }),
      ...(rules.length > 0 && { rules: rules.map((rule) => withValues(rule, values)) }),
    },
  };
}

/** The values of the rule `enum` are the constants beside it. */
function withValues(rule: string, values: readonly string[]): string {
  return /(^|\/)enum$/.test(rule) ? `${rule}=${values.join(',')}` : rule;
}

function either(name: string, pkg: string, declaration: EitherDeclaration): NamedType {
  const schema: { -readonly [K in keyof AnySchema]: AnySchema[K] } = { kind: 'any', form: 'json', name };
  // Registered before its object is compiled: JSONSchemaProps refers back to this type.
  const type = remember(name, { schema });
  schema.either = { object: use(declaration.object, pkg, NO_USE) as StructSchema, or: declaration.or };
  return type;
}

function struct(name: string, pkg: string, declaration: StructDeclaration): NamedType {
  const fields: Field[] = [];
  const byName = new Map<string, Field>();
  const unions: Union[] = [];
  const inlineMessages: InlineMessage[] = [];
  const { mapType, rules } = declaration;
  const schema: StructSchema = {
    kind: 'struct',
    name,
    fields,
    byName,
    atomic: mapType === 'atomic',
    preserveUnknown: false,
    embeddedResource: false,
    unions,
    ...(declaration.members.some((m) => m.kind === 'inline' && m.proto > 0) && { inlineMessages }),
    ...(mapType !== undefined && { mapType }),
    ...(rules.length > 0 && { rules }),
  };
  // Registered before its fields are compiled, because types may be recursive.
  const type = remember(name, { schema });
  const add = (field: Field): void => {
    fields.push(field);
    byName.set(field.name, field);
  };
  for (const member of declaration.members) {
    if (member.kind === 'field') {
      add(compileField(member, pkg));
      continue;
    }
    const inner = use(member.type, pkg, NO_USE) as StructSchema;
    unions.push(...inner.unions);
    if (member.proto === 0) {
      for (const field of inner.fields) add({ ...field, proto: 0, typeMeta: inner });
      continue;
    }
    const message: InlineMessage = { proto: member.proto, schema: inner };
    inlineMessages.push(message);
    for (const field of inner.fields) add({ ...field, inlineIn: message });
  }
  if (declaration.union) unions.push(unionOf(declaration));
  return type;
}

/** A marked union: a discriminator, and every other optional field as a member. */
function unionOf(declaration: StructDeclaration): Union {
  const own = declaration.members.filter((m): m is FieldDeclaration => m.kind === 'field');
  const discriminator = own.find((f) => f.discriminator)?.name;
  const members = own.filter((f) => !f.discriminator).map((f) => f.name);
  return { ...(discriminator !== undefined && { discriminator }), members };
}

function compileField(f: FieldDeclaration, pkg: string): Field {
  return {
    name: f.name,
    schema: use(f.type, pkg, f.use),
    proto: f.proto,
    required: f.required,
    omitEmpty: f.omitEmpty,
    pointer: f.pointer,
    patchStrategy: f.patchStrategy,
    deprecated: f.deprecated,
    ...(f.default !== undefined && { default: f.default }),
    ...(f.patchMergeKey !== undefined && { patchMergeKey: f.patchMergeKey }),
    ...(f.featureGate !== undefined && { featureGate: f.featureGate }),
    ...(f.rules.length > 0 && { rules: f.rules }),
  };
}
