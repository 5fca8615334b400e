import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { describe, expect, it } from 'vitest';
import { finish } from '../base/index.js';
import { check } from './checker.js';
import { equals } from './compare.js';
import { CompileFailure } from './compiler.js';
import { Environment } from './environment.js';
import { networkLibrary } from './library/network.js';
import { optionalLibrary } from './library/optional.js';
import { standardLibrary, twoVariableLibrary } from './library/standard.js';
import { stringsLibrary } from './library/strings.js';
import { parseDuration, parseTimestamp } from './library/time.js';
import { BIND_MACRO } from './macros.js';
import { parse } from './parser.js';
import { Program } from './program.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from './types.js';
import { ArrayList, Bytes, EntryMap, fail, isError, keyText, TypeValue, Uint, type Value } from './values.js';

// The conformance tests of the CEL specification. Tests that do not apply are listed by suite, each with its reason.

interface Original {
  readonly name?: string;
  readonly expr: string;
  readonly value?: Json;
  readonly evalError?: unknown;
  readonly typedResult?: { readonly result?: Json };
  readonly anyEvalErrors?: unknown;
  readonly unknown?: unknown;
  readonly typeEnv?: readonly {
    readonly name: string;
    readonly ident?: { readonly type: Json };
    readonly function?: unknown;
  }[];
  readonly bindings?: Readonly<Record<string, { readonly value?: Json }>>;
  readonly container?: string;
  readonly checkOnly?: boolean;
  readonly disableCheck?: boolean;
  readonly disableMacros?: boolean;
}
type Json = { readonly [key: string]: unknown };
interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Original }[];
}

const OMITTED_SUITES: Readonly<Record<string, string>> = {
  block_ext: 'cel.block is an optimizer output that no Kubernetes environment has',
  dynamic: 'protobuf messages are not values here: objects are JSON',
  encoders_ext: 'no Kubernetes environment has base64',
  enums: 'protobuf enums are not values here',
  fields: 'mostly protobuf fields; selection from maps is tested in program.test.ts',
  math_ext: 'no Kubernetes environment has math',
  namespace: 'no Kubernetes environment has a container',
  network_ext: 'the network functions of Kubernetes differ from the extension',
  proto2: 'protobuf messages are not values here',
  proto2_ext: 'protobuf messages are not values here',
  proto3: 'protobuf messages are not values here',
  type_deduction: 'types of protobuf messages and wrappers',
  unknowns: 'partial evaluation is not used',
  wrappers: 'protobuf wrappers are not values here',
};

const MESSAGES = /TestAllTypes|google\.protobuf\.(?!Timestamp|Duration)|NestedTestAllTypes|proto\./;

function reasonToOmit(t: Original): string | undefined {
  if (MESSAGES.test(JSON.stringify(t))) return 'a protobuf message';
  if (t.container !== undefined && t.container !== '') return 'a container';
  if (t.typeEnv?.some((d) => d.function !== undefined)) return 'a function declared by the test';
  if (/google\.protobuf\.\w+\{/.test(t.expr)) return 'a protobuf message';
  return undefined;
}

/** Cases in which kube-apiserver's release of CEL has another result, with that result. */
const OLDER_STRINGS = 'Kubernetes has version 2 of the strings extension, which shows it otherwise';
const KNOWN: ReadonlyMap<string, string> = new Map([
  ...[
    'scientific notation formatting clause',
    'default precision for scientific notation',
    'positive infinity support for scientific notation',
    'negative infinity support for scientific notation',
    'NaN support for decimal',
    'positive infinity support for decimal',
    'negative infinity support for decimal',
    'positive infinity support for fixed-point',
    'negative infinity support for fixed-point',
    'list support for string',
    'map support for string',
    'map support (all key types)',
    'dyntype support for scientific notation',
    'dyntype NaN/infinity support',
    'dyntype support for lists',
    'dyntype support for maps',
    'scientific notation formatting clause in a string variable',
  ].map((name) => [`string_ext/format/${name}`, OLDER_STRINGS] as const),
  ['timestamps/duration_converters/get_milliseconds', 'kube-apiserver returns the whole duration in milliseconds'],
  ['string_ext/value_errors/indexof_out_of_range', OLDER_STRINGS],
  ['string_ext/value_errors/lastindexof_out_of_range', OLDER_STRINGS],
]);

const env = Environment.of([
  standardLibrary,
  twoVariableLibrary,
  optionalLibrary,
  stringsLibrary,
  networkLibrary,
  { macros: [BIND_MACRO] },
]);

function typeOf(t: Json): Type {
  const primitives: Readonly<Record<string, Type>> = { BOOL, INT64: INT, UINT64: UINT, DOUBLE, STRING, BYTES };
  if (t['primitive'] !== undefined) return primitives[t['primitive'] as string]!;
  if (t['wellKnown'] === 'TIMESTAMP') return TIMESTAMP;
  if (t['wellKnown'] === 'DURATION') return DURATION;
  if (t['null'] !== undefined) return NULL;
  if (t['listType'] !== undefined) return listOf(typeOf(((t['listType'] as Json)['elemType'] ?? {}) as Json));
  if (t['mapType'] !== undefined) {
    const { keyType, valueType } = t['mapType'] as Record<string, Json>;
    return mapOf(typeOf(keyType ?? {}), typeOf(valueType ?? {}));
  }
  return DYN;
}

function expectedValue(v: Json): Value {
  if ('nullValue' in v) return null;
  if ('boolValue' in v) return v['boolValue'] as boolean;
  if ('int64Value' in v) return BigInt(v['int64Value'] as string);
  if ('uint64Value' in v) return new Uint(BigInt(v['uint64Value'] as string));
  if ('doubleValue' in v) return Number(String(v['doubleValue']).replace('Infinity', 'Infinity'));
  if ('stringValue' in v) return v['stringValue'] as string;
  if ('bytesValue' in v) return new Bytes(Uint8Array.from(Buffer.from(v['bytesValue'] as string, 'base64')));
  if ('typeValue' in v) return new TypeValue(v['typeValue'] as string);
  if ('listValue' in v) return new ArrayList((((v['listValue'] as Json)['values'] ?? []) as Json[]).map(expectedValue));
  if ('mapValue' in v) {
    const entries = ((v['mapValue'] as Json)['entries'] ?? []) as { key: Json; value: Json }[];
    return new EntryMap(
      new Map(
        entries.map(
          ({ key, value }) => [keyText(expectedValue(key))!, [expectedValue(key), expectedValue(value)]] as const,
        ),
      ),
    );
  }
  if ('objectValue' in v) {
    const { '@type': type, value } = v['objectValue'] as Record<string, string>;
    if (type!.endsWith('Duration')) return parseDuration(value!)!;
    if (type!.endsWith('Timestamp')) return parseTimestamp(value!)!;
  }
  throw new Error(`no value: ${JSON.stringify(v)}`);
}

function evaluate(t: Original): Value {
  const variables = Object.fromEntries(
    (t.typeEnv ?? []).filter((d) => d.ident !== undefined).map((d) => [d.name, typeOf(d.ident!.type)]),
  );
  const bindings = new Map(
    Object.entries(t.bindings ?? {}).map(([name, b]) => [name, expectedValue(b.value ?? { nullValue: 0 })]),
  );
  const all = { ...Object.fromEntries([...bindings.keys()].map((name) => [name, DYN])), ...variables };
  const extended = env.extend(all);
  const macros = t.disableMacros === true ? new Map() : env.macros;
  const parsed = finish(parse(t.expr, { macros, optionalSyntax: true }));
  if (parsed.issues.length > 0) return fail(parsed.source.render(parsed.issues));
  const checked = finish(check(parsed.expr, extended));
  if (checked.issues.length > 0 && t.disableCheck !== true) return fail(parsed.source.render(checked.issues));
  if (t.checkOnly === true) return true;
  try {
    const program = finish(Program.of(parsed.expr, checked, extended));
    return program.run((name) => bindings.get(name)).value;
  } catch (error) {
    if (error instanceof CompileFailure) return fail(error.message);
    throw error;
  }
}

function* cases(suite: Suite, path: string): Generator<readonly [string, Original]> {
  for (const inner of suite.suites ?? []) yield* cases(inner, `${path}/${inner.name}`);
  for (const [i, t] of (suite.tests ?? []).entries()) yield [`${path}/${t.original.name ?? i}`, t.original];
}

let tried = 0;

describe('the conformance tests of the CEL specification', () => {
  for (const suite of (tests as unknown as Suite).suites!) {
    if (OMITTED_SUITES[suite.name] !== undefined) continue;
    it(suite.name, () => {
      const wrong: string[] = [];
      for (const [name, t] of cases(suite, suite.name)) {
        if (reasonToOmit(t) !== undefined || KNOWN.has(name)) continue;
        tried++;
        const found = evaluate(t);
        const expected = t.value ?? t.typedResult?.result;
        if (t.evalError !== undefined || t.anyEvalErrors !== undefined) {
          if (!isError(found)) wrong.push(`${name}: ${t.expr}: an error was expected`);
        } else if (t.checkOnly === true) {
          if (isError(found)) wrong.push(`${name}: ${t.expr}: ${found.message}`);
        } else {
          const want = expected === undefined ? true : expectedValue(expected);
          const bothNaN = Number.isNaN(want) && Number.isNaN(found);
          if (isError(found)) wrong.push(`${name}: ${t.expr}: ${found.message}`);
          else if (!equals(found, want) && !bothNaN)
            wrong.push(`${name}: ${t.expr}: other than ${JSON.stringify(expected)}`);
        }
      }
      expect(wrong).toEqual([]);
    });
  }

  it('runs most of them', () => {
    expect(tried).toBeGreaterThan(1000);
  });
});
