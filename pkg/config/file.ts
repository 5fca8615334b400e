import type { ErrorObject } from 'ajv';
import { versionKindProblem } from '../api/index.js';
import { jsonText, readBody } from '../codec/index.js';
import { decodingProblem, type FileSchema, jsonType, typeOf } from './filetypes.js';

/** An error in one field of a file. `path` is `jwt[0].issuer.url`, or '' for the whole file. */
export interface FileError {
  readonly path: string;
  readonly message: string;
  /** An unknown field or a key that is given twice: only a strict reader refuses it. `message` is the text of kube-apiserver. */
  readonly strict?: true;
}

/** A file that was read and validated, or all its errors. */
export type FileRead<T> =
  | {
      readonly ok: true;
      readonly apiVersion: string;
      readonly kind: string;
      readonly value: T;
      /** What a strict reader refuses in a file that is read leniently. */
      readonly ignored: readonly FileError[];
    }
  | { readonly ok: false; readonly errors: readonly FileError[] };

/**
 * JSON schemas of the allowed types of a file, by `apiVersion/kind`, such as
 * `apiserver.config.k8s.io/v1/TracingConfiguration`.
 */
export type FileTypes = Readonly<Record<string, FileSchema>>;

/**
 * Reads a versioned configuration file, YAML or JSON. The schema of its `apiVersion` and `kind` validates it and sets
 * defaults; unknown fields and keys that are given twice are errors, at any depth, unless `lenient`. `value` includes apiVersion and kind.
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
  if (kind === '') return failed(`Object 'Kind' is missing in '${parsed.json}'`);
  const schema = Object.hasOwn(types, `${apiVersion}/${kind}`) ? types[`${apiVersion}/${kind}`] : undefined;
  if (schema === undefined) {
    if (apiVersion === '') return failed(`Object 'apiVersion' is missing in '${parsed.json}'`);
    return failed(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}; it must be one of ${namesOf(types).join(', ')}`,
    );
  }
  const problem = decodingProblem(parsed.value, { type: 'object', ...schema }, String(apiVersion).split('/').at(-1)!);
  if (problem !== undefined) return failed(problem);
  const filled = withoutNulls(parsed.value, schema) as Readonly<Record<string, unknown>>;
  const fields = await checkFields(filled, {
    type: 'object',
    unevaluatedProperties: false,
    ...schema,
    properties: { apiVersion: true, kind: true, ...(schema['properties'] as object | undefined) },
  });
  const found = [...parsed.repeated, ...fields];
  const ignored = lenient ? found.filter(({ strict }) => strict) : [];
  if (found.length > ignored.length) return { ok: false, errors: found };
  return { ok: true, apiVersion: apiVersion as string, kind: kind as string, value: filled as T, ignored };
}

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

/**
 * The value of a text in JSON or YAML, the first document of several, as kube-apiserver reads it: a text that begins
 * with a brace is JSON; in YAML, `yes` and `on` are booleans.
 * `json` is the text as JSON; `repeated` are the keys that are given twice, of which the last counts.
 */
export function parseYaml(
  text: string,
):
  | { readonly value: unknown; readonly json: string; readonly repeated: readonly FileError[] }
  | { readonly errors: readonly FileError[] } {
  const isJson = /^\s*\{/.test(text);
  const read = readBody({ bytes: Buffer.from(text), encoding: isJson ? 'json' : 'yaml' });
  if (!read.ok) {
    const message = isJson ? `couldn't get version/kind; json parse error: ${read.message}` : read.message;
    return { errors: [{ path: '', message }] };
  }
  const repeated = read.strict.errors.map((message) => ({ path: '', message, strict: true as const }));
  return { value: read.value, json: isJson ? text : jsonText(read.value), repeated };
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

/** The errors in one line, as a message for the author of the file. What only a strict reader refuses has the text of kube-apiserver's. */
export function describeErrors(errors: readonly FileError[]): string {
  const strict = errors.filter((error) => error.strict).map(({ message }) => message);
  const others = errors.filter((error) => !error.strict);
  const texts = others.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return [...texts, ...(strict.length === 0 ? [] : [`strict decoding error: ${strict.join(', ')}`])].join('; ');
}

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
    case 'unevaluatedProperties': {
      const field = child(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return { path: field, message: `unknown field ${JSON.stringify(field)}`, strict: true };
    }
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
