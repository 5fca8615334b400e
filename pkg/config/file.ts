import type { ErrorObject } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { versionKindProblem } from '../api/index.js';

/** An error in one field of a file. `path` is `jwt[0].issuer.url`, or '' for the whole file. */
export interface FileError {
  readonly path: string;
  readonly message: string;
}

/** A file that was read and validated, or all its errors. */
export type FileRead<T> =
  | {
      readonly ok: true;
      readonly apiVersion: string;
      readonly kind: string;
      readonly value: T;
      /** The unknown fields of a file that is read leniently. */
      readonly unknown: readonly FileError[];
    }
  | { readonly ok: false; readonly errors: readonly FileError[] };

/** A JSON schema (2020-12). */
export type FileSchema = Readonly<Record<string, unknown>>;

/**
 * JSON schemas of the allowed types of a file, by `apiVersion/kind`, such as
 * `apiserver.config.k8s.io/v1/TracingConfiguration`.
 */
export type FileTypes = Readonly<Record<string, FileSchema>>;

/**
 * Reads a versioned configuration file, YAML or JSON. The schema of its `apiVersion` and `kind` validates it and sets
 * defaults; unknown fields are errors, at any depth, unless `lenient`. `value` includes apiVersion and kind.
 */
export async function readConfigFile<T>(
  text: string,
  types: FileTypes,
  { lenient = false }: { readonly lenient?: boolean } = {},
): Promise<FileRead<T>> {
  const parsed = parseYaml(text);
  if ('errors' in parsed) return { ok: false, errors: parsed.errors };
  const failed = (message: string): FileRead<T> => ({ ok: false, errors: [{ path: '', message }] });
  if (parsed.value === null) return failed(`Object 'Kind' is missing in '${text.trim() === '' ? '' : 'null'}'`);
  if (typeof parsed.value !== 'object' || Array.isArray(parsed.value))
    return failed(versionKindProblem(jsonType(parsed.value)));
  const value = withoutNulls(parsed.value, undefined) as Readonly<Record<string, unknown>>;
  const { apiVersion = '', kind = '' } = value;
  if (kind === '') return missing('Kind', value);
  const schema = Object.hasOwn(types, `${apiVersion}/${kind}`) ? types[`${apiVersion}/${kind}`] : undefined;
  if (schema === undefined) {
    if (apiVersion === '') return missing('apiVersion', value);
    const message = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}; it must be one of ${namesOf(types).join(', ')}`;
    return { ok: false, errors: [{ path: '', message }] };
  }
  const problem = decodingProblem(parsed.value, { type: 'object', ...schema }, String(apiVersion).split('/').at(-1)!);
  if (problem !== undefined) return failed(problem);
  const filled = withoutNulls(parsed.value, schema) as Readonly<Record<string, unknown>>;
  const found = await checkFields(filled, {
    type: 'object',
    unevaluatedProperties: false,
    ...schema,
    properties: { apiVersion: true, kind: true, ...(schema['properties'] as object | undefined) },
  });
  const unknown = lenient ? found.filter(({ message }) => message === UNKNOWN) : [];
  if (found.length > unknown.length) return { ok: false, errors: found };
  return { ok: true, apiVersion: apiVersion as string, kind: kind as string, value: filled as T, unknown };
}

const missing = (field: string, value: object): FileRead<never> => ({
  ok: false,
  errors: [{ path: '', message: `Object '${field}' is missing in '${JSON.stringify(value)}'` }],
});

/** As Go decodes null: a field is absent, and an element of a list has the zero value of its type. */
function withoutNulls(value: unknown, schema: FileSchema | undefined): unknown {
  if (Array.isArray(value)) {
    const items = schema?.['items'] as FileSchema | undefined;
    return value.map((item) => (item === null ? zeroOf(items) : withoutNulls(item, items)));
  }
  if (typeof value !== 'object' || value === null) return value;
  const properties = schema?.['properties'] as Readonly<Record<string, FileSchema | undefined>> | undefined;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    entries.map(([name, member]) => [
      name,
      withoutNulls(member, properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined),
    ]),
  );
}

function zeroOf(schema: FileSchema | undefined): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    default:
      return null;
  }
}

/** The type in a schema, beside null. */
function typeOf(schema: FileSchema | undefined): string | undefined {
  const type = schema?.['type'];
  return (Array.isArray(type) ? type[0] : type) as string | undefined;
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * The first value of another type than its field, with the message of Go's encoding/json. Objects in the schema have the names of their types
 * in Go as `title`; below one without a name nothing is compared here. `version` is that of the file, the package of these types.
 */
function decodingProblem(root: unknown, schema: FileSchema, version: string): string | undefined {
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
    return (type === 'string' || type === 'boolean') && typeof value !== type
      ? unlike(value, expected, owner, path)
      : undefined;
  }

  function unlike(value: unknown, expected: FileSchema, owner: string, path: string): string {
    return `json: cannot unmarshal ${jsonType(value)} into Go struct field ${owner}.${path} of type ${goType(expected)}`;
  }

  function goType(expected: FileSchema): string {
    const type = typeOf(expected);
    if (type === 'array') return `[]${goType((expected['items'] ?? {}) as FileSchema)}`;
    if (type === 'object') return `${version}.${String(expected['title'])}`;
    return type === 'boolean' ? 'bool' : (type ?? 'interface {}');
  }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
};

/** The error of a file as Go prints it: `open /a: no such file or directory`. */
export function fileErrorText(error: unknown, path: string): string {
  const { code = '', syscall = 'open', message } = error as NodeJS.ErrnoException;
  const known = FILE_ERRORS[code];
  return known === undefined ? message : `${syscall} ${path}: ${known}`;
}

/** The value of the first document of a YAML text, as kube-apiserver reads it; duplicate keys are errors. */
export function parseYaml(text: string): { readonly value: unknown } | { readonly errors: readonly FileError[] } {
  const [document] = parseAllDocuments(text, { uniqueKeys: true, logLevel: 'error' });
  if (document === undefined) return { value: null };
  if (document.errors.length > 0)
    return {
      errors: document.errors.map((e) => ({ path: '', message: `is not valid YAML: ${e.message.split('\n')[0]}` })),
    };
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as unknown };
  } catch (error) {
    return { errors: [{ path: '', message: `is not valid YAML: ${(error as Error).message}` }] };
  }
}

/** Validates a value against a JSON schema (2020-12), sets its defaults, and returns every error with its path. */
export async function checkFields(value: unknown, schema: FileSchema): Promise<readonly FileError[]> {
  // Loaded here, so that a server without configuration files does not pay for it at start.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const check = new Ajv2020({ allErrors: true, useDefaults: true, allowUnionTypes: true, strictTypes: false }).compile(
    schema,
  );
  return check(value) ? [] : (check.errors ?? []).map(fieldError);
}

/** The errors in one line, as a message for the author of the file. Unknown fields have the text of kube-apiserver's strict decoder. */
export function describeErrors(errors: readonly FileError[]): string {
  const unknown = errors.filter(({ message }) => message === UNKNOWN);
  const others = errors.filter(({ message }) => message !== UNKNOWN);
  const texts = others.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const fields = unknown.map(({ path }) => `unknown field ${JSON.stringify(path)}`);
  return [...texts, ...(fields.length === 0 ? [] : [`strict decoding error: ${fields.join(', ')}`])].join('; ');
}

const UNKNOWN = 'unknown field';

function fieldError({ instancePath, keyword, params, message }: ErrorObject): FileError {
  const path = instancePath
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  const child = (name: unknown): string => (path === '' ? String(name) : `${path}.${name}`);
  switch (keyword) {
    case 'required':
      return { path: child(params['missingProperty']), message: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { path: child(params['additionalProperty'] ?? params['unevaluatedProperty']), message: UNKNOWN };
    case 'enum':
      return {
        path,
        message: `must be one of ${(params['allowedValues'] as unknown[]).map((v) => JSON.stringify(v)).join(', ')}`,
      };
    default:
      return { path, message: message ?? 'is invalid' };
  }
}

function namesOf(types: FileTypes): readonly string[] {
  return Object.keys(types).map(
    (name) => `${name.slice(name.lastIndexOf('/') + 1)} of ${name.slice(0, name.lastIndexOf('/'))}`,
  );
}
