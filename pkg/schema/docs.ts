import { existsSync, readFileSync } from 'node:fs';
import type { Field } from './types.js';

/**
 * Descriptions, in the project's own words: one `data/<package>.doc` a package, lines `Type: text` and `Type.field: text`.
 * Apart from the declarations because only OpenAPI reads them, and because importing declarations anew must not touch them.
 */
const packages = new Map<string, ReadonlyMap<string, string>>();

/** Of a type by its full name (`core/v1.PodSpec`); '' when nothing is written. */
export function describeType(type: string): string {
  const dot = type.lastIndexOf('.');
  return docs(type.slice(0, dot)).get(type.slice(dot + 1)) ?? '';
}

function fieldText(owner: string, name: string): string | undefined {
  const dot = owner.lastIndexOf('.');
  return docs(owner.slice(0, dot)).get(`${owner.slice(dot + 1)}.${name}`);
}

/** Of a field of a type, also when an inlined type declares it; '' when nothing is written. */
export function describeField(owner: string, field: Field): string {
  if (field.description !== undefined) return field.description;
  const inner = field.inlineIn?.schema.name;
  return (
    fieldText(owner, field.name) ??
    (inner === undefined ? undefined : fieldText(inner, field.name)) ??
    (field.proto === 0 ? fieldText('meta/v1.TypeMeta', field.name) : undefined) ??
    ''
  );
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
