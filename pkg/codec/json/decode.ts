import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '../../api/index.js';
import { finish, type Steps } from '../../base/index.js';
import type { StructSchema } from '../../schema/index.js';
import { codecLimits } from '../limits.js';
import { exactSteps } from './exact.js';
import { Findings, repeats } from './findings.js';
import { jsonOf, type Node, nodeOf, numberOf } from './node.js';
import { memberSteps, membersOf, normalise, normaliseSteps } from './normal.js';
import { parseSteps } from './parse.js';
import { type Pieces, piecesOf } from './pieces.js';
import { countMembers, NEEDS_EXACT_READER } from './scan.js';

/**
 * Unknown and duplicate fields of a body, with the messages of kube-apiserver. `errors` are joined by `, ` in the
 * message of a Strict request; each of `warnings` becomes one header. The two differ for YAML only, where all duplicate
 * keys are one error but one warning each.
 */
export interface Strictness {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export const nothingStrict: Strictness = { errors: [], warnings: [] };

/** An object in normal form (pkg/schema/zero.ts), or the message of kube-apiserver's decoder for a 400. */
export type Decoded =
  | { readonly ok: true; readonly object: JsonObject; readonly strict: Strictness }
  | { readonly ok: false; readonly message: string };

/**
 * Decodes a JSON text as the struct `schema`. Field names are case-sensitive; null is absence; quantities, times and bytes are
 * canonicalised; int64 beyond 2^53 become bigint; of duplicate keys the last one counts (maps and structs merge).
 */
export function decodeJson(schema: StructSchema, text: Buffer): Decoded {
  return finish(decodeJsonSteps(schema, text));
}

function* decodeJsonSteps(schema: StructSchema, text: Buffer): Steps<Decoded> {
  const members = countMembers(text);
  if (members !== NEEDS_EXACT_READER) {
    const value = parseFast(text);
    if (value !== undefined) {
      const { clean, value: object, members: found } = normalise(schema, value);
      if (clean && found === members) return { ok: true, object: object as JsonObject, strict: nothingStrict };
    }
  }
  const parsed = yield* parseSteps(text);
  return parsed.ok ? yield* nodeSteps(schema, parsed.node) : parsed;
}

/**
 * Decodes a parsed value (of YAML or a patch) as `schema`. It takes ownership of the value, parts of which become parts of the result.
 */
export function decodeValue(schema: StructSchema, value: JsonValue): Decoded {
  return finish(valueSteps(schema, value));
}

/** `decodeValue` in steps. */
export function* valueSteps(schema: StructSchema, value: JsonValue): Steps<Decoded> {
  const { clean, value: object } = yield* normaliseSteps(schema, value);
  if (clean) return { ok: true, object: object as JsonObject, strict: nothingStrict };
  // The exact decoder finds the same errors in a partially normalised value.
  yield;
  return yield* nodeSteps(schema, nodeOf(value));
}

/** Decodes a lossless tree in steps, and reports errors precisely. */
export function* nodeSteps(schema: StructSchema, node: Node): Steps<Decoded> {
  yield;
  const exact = yield* exactSteps(schema, node);
  yield;
  if (!exact.ok) return exact;
  const { value } = yield* normaliseSteps(schema, exact.value);
  const strict = exact.findings.length === 0 ? nothingStrict : { errors: exact.findings, warnings: exact.findings };
  return { ok: true, object: value as JsonObject, strict };
}

/** Parses a text with `JSON.parse`, a large one in pieces. Only the values of a large text are limited. See `Pieces`. */
export function* fastSteps(text: Buffer, fractions: boolean, valuesMax: number = codecLimits.valuesMax): Steps<Pieces> {
  if (text.length >= codecLimits.countedBytesMin) return yield* piecesOf(text, fractions, { valuesMax });
  const members = countMembers(text, fractions);
  if (members === NEEDS_EXACT_READER) return { kind: 'exact' };
  yield;
  const value = parseFast(text);
  yield;
  return value === undefined ? { kind: 'exact' } : { kind: 'value', value, members };
}

/** Parses bytes with `JSON.parse`; returns undefined if they are not JSON or not UTF-8. */
export function parseFast(text: Buffer): JsonValue | undefined {
  const ascii = isAscii(text);
  if (!ascii && !isUtf8(text)) return undefined;
  try {
    return JSON.parse(ascii ? text.toString('latin1') : text.toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A JSON value without a schema, with the paths of duplicate keys (`spec.x`, `[0].value`; the last one wins). */
export type ReadJson =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      readonly duplicates: readonly string[];
      /** The objects of `value` whose text has keys twice, with these keys; absent if there are none. */
      readonly repeated?: ReadonlyMap<JsonValue, readonly string[]>;
    }
  | {
      readonly ok: false;
      readonly message: string;
      /** The text is not JSON; otherwise a limit was exceeded, or a number is too large. */
      readonly syntax: boolean;
    };

/**
 * Reads a JSON text without a schema. Integers of an int64 that a double cannot hold become bigint, `__proto__` is an
 * ordinary key, and duplicates are reported as `duplicate field "path"`. Errors have the messages of kube-apiserver for
 * invalid JSON.
 */
export function readJson(text: Buffer): ReadJson {
  const members = countMembers(text, true);
  if (members !== NEEDS_EXACT_READER) {
    const value = parseFast(text);
    if (value !== undefined && membersOf(value) === members) return { ok: true, value, duplicates: [] };
  }
  return finish(readExactly(text));
}

/**
 * Reads a JSON body without a schema, in steps, like `readJson`. A body with more values than `valuesMax` is refused; by default that is the
 * limit for requests.
 */
export function* readJsonBody(text: Buffer, valuesMax?: number): Steps<ReadJson> {
  const read = yield* fastSteps(text, true, valuesMax);
  if (read.kind === 'refused') return { ok: false, message: read.why('body'), syntax: false };
  if (read.kind === 'value' && (yield* memberSteps(read.value)) === read.members)
    return { ok: true, value: read.value, duplicates: [] };
  yield;
  return yield* readExactly(text);
}

function* readExactly(text: Buffer): Steps<ReadJson> {
  const parsed = yield* parseSteps(text);
  if (!parsed.ok) return { ...parsed, syntax: true };
  yield;
  return readNode(parsed.node);
}

function readNode(root: Node): ReadJson {
  const findings = new Findings();
  const failure = inspect(root, findings, 1);
  if (failure !== undefined) return { ok: false, message: failure, syntax: false };
  const duplicates = findings.texts;
  const repeated = new Map<JsonValue, readonly string[]>();
  const value = jsonOf(root, duplicates.length === 0 ? undefined : repeated);
  return { ok: true, value, duplicates, ...(repeated.size > 0 && { repeated }) };
}

/** Finds duplicate keys, and numbers that neither a double nor an int64 can represent. */
function inspect(node: Node, findings: Findings, depth: number): string | undefined {
  if (node === null || typeof node !== 'object') return undefined;
  if (depth > codecLimits.valueDepthMax) return 'exceeded max depth';
  if (node.kind === 'number')
    return numberOf(node.text) === undefined
      ? `json: cannot unmarshal number ${node.text} into Go value of type float64`
      : undefined;
  const repeated = node.kind === 'map' ? repeats(node.keys) : undefined;
  const children = node.kind === 'list' ? node.items : node.values;
  for (let i = 0; i < children.length; i++) {
    if (node.kind === 'map' && repeated!(i)) findings.duplicate(node.keys[i]!);
    findings.enter(node.kind === 'map' ? node.keys[i]! : i);
    const failure = inspect(children[i]!, findings, depth + 1);
    findings.leave();
    if (failure !== undefined) return failure;
  }
  return undefined;
}
