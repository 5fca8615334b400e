import { existsSync, readFileSync } from 'node:fs';
import type { Field } from './types.js';

/**
 * Descriptions of types and fields, written for this project: one file `data/<package>.doc` for each package, with lines `Type: text` and
 * `Type.field: text`. They are separate from the declarations because only OpenAPI reads them and a new import must not change them.
 */
const packages = new Map<string, ReadonlyMap<string, string>>();

/** Returns the description of a type by its full name (`core/v1.PodSpec`), or ''. */
export function describeType(type: string): string {
  const [pkg, name] = split(type);
  const own = find(pkg, name);
  if (own !== undefined) return own;
  const item = /^(.+)List$/.exec(name)?.[1];
  return item === undefined || find(pkg, item) === undefined ? '' : `A list of ${item} objects.`;
}

/** Returns the description of a field of a type or of its inlined types, or ''. */
export function describeField(owner: string, field: Field): string {
  if (field.description !== undefined) return field.description;
  return declaredText(owner, field) ?? find('meta/v1', `*.${field.name}`) ?? '';
}

/** Returns the description in the type, or in the inlined type that declares the field. */
function declaredText(owner: string, field: Field): string | undefined {
  const inner = field.inlineIn?.schema;
  const declared = inner?.byName.get(field.name);
  return (
    fieldText(owner, field.name) ??
    (inner === undefined || declared === undefined ? undefined : declaredText(inner.name, declared))
  );
}

function fieldText(owner: string, field: string): string | undefined {
  const [pkg, name] = split(owner);
  return find(pkg, `${name}.${field}`);
}

/** A pre-release version without a description uses that of the stable version. */
function find(pkg: string, key: string): string | undefined {
  return docs(pkg).get(key) ?? (/(alpha|beta)\d+$/.test(pkg) ? docs(pkg.replace(/\/.*/, '/v1')).get(key) : undefined);
}

function split(type: string): [pkg: string, name: string] {
  const dot = type.lastIndexOf('.');
  return [type.slice(0, dot), type.slice(dot + 1)];
}

function docs(pkg: string): ReadonlyMap<string, string> {
  let found = packages.get(pkg);
  if (found === undefined) {
    const file = new URL(`./data/${pkg.replace('/', '_')}.doc`, import.meta.url);
    found = existsSync(file) ? parseDocs(readFileSync(file, 'utf8')) : new Map();
    packages.set(pkg, found);
  }
  return found;
}

function parseDocs(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0 && line[0] !== '#') found.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return found;
}
