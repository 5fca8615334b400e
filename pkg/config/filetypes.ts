/** A JSON schema (2020-12). */
export type FileSchema = Readonly<Record<string, unknown>>;

/** The type in a schema, beside null. */
export function typeOf(schema: FileSchema | undefined): string | undefined {
  const type = schema?.['type'];
  return (Array.isArray(type) ? type[0] : type) as string | undefined;
}

/** The type of a value in errors of Go's encoding/json. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * The first value of another type than its field, with the message of Go's encoding/json. Objects in the schema, and
 * texts and numbers with a type of their own, have the names of their types in Go as `title`; below an object without a
 * name nothing is compared. `version` is that of the file, the package of these types.
 */
export function decodingProblem(root: unknown, schema: FileSchema, version: string): string | undefined {
  return typeof schema['title'] === 'string' ? mismatch(root, schema, '', '') : undefined;

  /** `owner`: the type that has the field. `path`: the field, from the root, without the indices of lists. */
  function mismatch(value: unknown, expected: FileSchema, owner: string, path: string): string | undefined {
    if (value === null) return undefined;
    const type = typeOf(expected);
    if (type === 'object') {
      if (typeof value !== 'object' || Array.isArray(value)) return unlike(value, expected, owner, path);
      const { title, properties = {} } = expected as { title?: string; properties?: Record<string, FileSchema> };
      if (title === undefined) return undefined;
      // The YAML text becomes JSON with its keys in order.
      for (const name of Object.keys(value).sort()) {
        if (!Object.hasOwn(properties, name)) continue;
        const member = (value as Record<string, unknown>)[name];
        const found = mismatch(member, properties[name]!, title, path === '' ? name : `${path}.${name}`);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    if (type === 'array') {
      if (!Array.isArray(value)) return unlike(value, expected, owner, path);
      for (const item of value) {
        const found = mismatch(item, (expected['items'] ?? {}) as FileSchema, owner, path);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    if (type === 'integer') return isInteger(value) ? undefined : unlike(value, expected, owner, path);
    return (type === 'string' || type === 'boolean') && typeof value !== type
      ? unlike(value, expected, owner, path)
      : undefined;
  }

  function unlike(value: unknown, expected: FileSchema, owner: string, path: string): string {
    const found = typeof value === 'number' && typeOf(expected) === 'integer' ? `number ${value}` : jsonType(value);
    return `json: cannot unmarshal ${found} into Go struct field ${owner}.${path} of type ${goType(expected)}`;
  }

  function goType(expected: FileSchema): string {
    const { title } = expected as { title?: string };
    const type = typeOf(expected);
    if (type === 'array') return `[]${goType((expected['items'] ?? {}) as FileSchema)}`;
    if (title !== undefined) return BUILTIN.test(title) ? title : `${version}.${title}`;
    return type === 'boolean' ? 'bool' : (type ?? 'interface {}');
  }
}

/** Types that belong to no package, such as int32. */
const BUILTIN = /^[a-z]/;

const isInteger = (value: unknown): boolean => typeof value === 'bigint' || Number.isInteger(value);
