import { allKinds, kindSchema } from './kinds.js';
import type { Field, Schema, StructSchema } from './types.js';

/** The text of `gen/shapes.d.ts`: an interface for each built-in type, with the names of its fields. */
export function shapesText(): string {
  const lines = [
    '// Generated from the schemas by scripts/generate-shapes.mjs. Do not edit.',
    '// The fields of the built-in types, for the compiler alone: see pkg/api/shape.ts.',
    '',
  ];
  const found = new Map<string, StructSchema>();
  const visit = (schema: Schema): void => {
    switch (schema.kind) {
      case 'struct': {
        const id = identifierOf(schema.name);
        if (found.has(id)) return;
        found.set(id, schema);
        for (const field of schema.fields) visit(field.schema);
        return;
      }
      case 'list':
        visit(schema.items);
        return;
      case 'map':
        visit(schema.values);
        return;
      case 'scalar':
      case 'any':
        return;
    }
  };
  for (const kind of allKinds()) visit(kindSchema(kind)!.schema);
  for (const id of [...found.keys()].sort()) {
    lines.push(`export interface ${id} {`, ...found.get(id)!.fields.map(fieldLine), '}', '');
  }
  return lines.join('\n');
}

const fieldLine = ({ name, schema }: Field): string =>
  `  readonly ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}?: ${typeOf(schema)};`;

function typeOf(schema: Schema): string {
  switch (schema.kind) {
    case 'struct':
      return identifierOf(schema.name);
    case 'list':
      return `readonly ${typeOf(schema.items)}[]`;
    case 'map':
      return `{ readonly [key: string]: ${typeOf(schema.values)} }`;
    case 'scalar':
      return 'string';
    case 'any':
      return 'unknown';
  }
}

/** `core/v1.PodSpec` is `CoreV1PodSpec`. */
function identifierOf(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}
