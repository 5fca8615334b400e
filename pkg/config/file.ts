import type { ErrorObject } from 'ajv';
import { parseAllDocuments } from 'yaml';

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
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value))
    return { ok: false, errors: [{ path: '', message: 'must be an object' }] };
  const value = withoutNulls(parsed.value) as Readonly<Record<string, unknown>>;
  const { apiVersion = '', kind = '' } = value;
  if (kind === '') return missing('Kind', value);
  const schema = Object.hasOwn(types, `${apiVersion}/${kind}`) ? types[`${apiVersion}/${kind}`] : undefined;
  if (schema === undefined) {
    if (apiVersion === '') return missing('apiVersion', value);
    const message = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}; it must be one of ${namesOf(types).join(', ')}`;
    return { ok: false, errors: [{ path: '', message }] };
  }
  const found = await checkFields(value, {
    type: 'object',
    unevaluatedProperties: false,
    ...schema,
    properties: { apiVersion: true, kind: true, ...(schema['properties'] as object | undefined) },
  });
  const unknown = lenient ? found.filter(({ message }) => message === UNKNOWN) : [];
  if (found.length > unknown.length) return { ok: false, errors: found };
  return { ok: true, apiVersion: apiVersion as string, kind: kind as string, value: value as T, unknown };
}

const missing = (field: string, value: object): FileRead<never> => ({
  ok: false,
  errors: [{ path: '', message: `Object '${field}' is missing in '${JSON.stringify(value)}'` }],
});

/** A field with the value null is absent, as in Go. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNulls(member)]));
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
