import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../api/index.js';
import { PatchError } from './errors.js';
import {
  applyJsonPatch,
  decodeJsonPatch,
  jsonPatchSteps,
  oddlySpelledOperations,
  unknownOperationMembers,
} from './json-patch.js';

interface SuiteCase {
  readonly comment?: string;
  readonly doc: JsonValue;
  readonly patch: JsonObject[];
  readonly expected?: JsonValue;
  readonly error?: string;
  readonly disabled?: boolean;
}

const require = createRequire(import.meta.url);
const suite = [
  ...(require('json-patch-test-suite/tests.json') as SuiteCase[]),
  ...(require('json-patch-test-suite/spec_tests.json') as SuiteCase[]),
].filter((c) => c.disabled !== true && c.doc !== undefined);

describe('RFC 6902: the published test suite', () => {
  it('has the expected size', () => expect(suite.length).toBeGreaterThan(90));
  suite.forEach((c, i) => {
    it(`${i}: ${c.comment ?? JSON.stringify(c.patch)}`, () => {
      const before = cloneJson(c.doc);
      const run = () => applyJsonPatch(c.doc, c.patch, { dialect: 'rfc6902' });
      if (c.error !== undefined) expect(run).toThrow(PatchError);
      else if (c.expected !== undefined) expect(run()).toEqual(c.expected);
      else expect(run).not.toThrow();
      expect(c.doc).toEqual(before);
    });
  });
});

/** The behaviour that clients of the API rely on: document, operations, result; undefined if the patch is refused. */
const reference: readonly [name: string, doc: JsonValue, patch: JsonObject[], out: JsonValue | undefined][] = [
  ['add below a missing map', { a: 1 }, [{ op: 'add', path: '/data/n', value: '3' }], undefined],
  ['add below a string', { k: '1' }, [{ op: 'add', path: '/k/z', value: '3' }], undefined],
  ['add below null', { k: null }, [{ op: 'add', path: '/k/z', value: '3' }], undefined],
  ['add at the end of the list', { l: ['a'] }, [{ op: 'add', path: '/l/1', value: 'b' }], { l: ['a', 'b'] }],
  ['add beyond the length', { l: ['a'] }, [{ op: 'add', path: '/l/2', value: 'b' }], undefined],
  ['add at -1 appends', { l: ['a'] }, [{ op: 'add', path: '/l/-1', value: 'b' }], { l: ['a', 'b'] }],
  ['add at -2', { l: ['a', 'c'] }, [{ op: 'add', path: '/l/-2', value: 'b' }], { l: ['a', 'b', 'c'] }],
  ['remove at -1', { l: ['a', 'b'] }, [{ op: 'remove', path: '/l/-1' }], { l: ['a'] }],
  ['remove at -', { l: ['a', 'b'] }, [{ op: 'remove', path: '/l/-' }], undefined],
  ['remove beyond', { l: ['a'] }, [{ op: 'remove', path: '/l/1' }], undefined],
  ['leading zeros', { l: ['a', 'b'] }, [{ op: 'remove', path: '/l/01' }], { l: ['a'] }],
  ['a word as an index', { l: ['a'] }, [{ op: 'add', path: '/l/x', value: 1 }], undefined],
  ['replace of a missing member adds it', { a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 }],
  ['text before the first slash is ignored', { a: 1 }, [{ op: 'replace', path: 'x/b', value: 2 }], { a: 1, b: 2 }],
  ['no slash', { a: 1 }, [{ op: 'add', path: 'b', value: 2 }], undefined],
  ['a tilde without an escape', {}, [{ op: 'add', path: '/a~2b', value: 2 }], { 'a~2b': 2 }],
  ['~01 is ~1', {}, [{ op: 'add', path: '/a~01b', value: 2 }], { 'a~1b': 2 }],
  ['a missing value is null', {}, [{ op: 'add', path: '/a' }], { a: null }],
  ['a missing member copied is null', {}, [{ op: 'copy', from: '/x', path: '/a' }], { a: null }],
  ['move of a missing member', {}, [{ op: 'move', from: '/x', path: '/a' }], undefined],
  ['copy without from', { a: 1 }, [{ op: 'copy', path: '/a' }], undefined],
  ['move onto itself', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
  ['move into its own child', { a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/b' }], undefined],
  ['the root cannot be added', { a: 1 }, [{ op: 'add', path: '', value: {} }], undefined],
  ['the root can be replaced', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
  ['the root must remain an object or a list', { a: 1 }, [{ op: 'replace', path: '', value: 'x' }], undefined],
  ['test of a missing member for null', {}, [{ op: 'test', path: '/a', value: null }], {}],
  ['test of lists in order', { l: [1, 2] }, [{ op: 'test', path: '/l', value: [2, 1] }], undefined],
  ['operations are case sensitive', {}, [{ op: 'ADD', path: '/a', value: 1 }], undefined],
  ['no operation', {}, [{ path: '/a', value: 1 }], undefined],
  ['no path', {}, [{ op: 'add', value: 1 }], undefined],
];

describe('differences of kube-apiserver from the RFC', () => {
  it.each(reference)('%s', (_, doc, patch, out) => {
    const run = () => applyJsonPatch(doc, patch);
    if (out === undefined) expect(run).toThrow(PatchError);
    else expect(run()).toEqual(out);
  });

  it.each<[JsonObject, string]>([
    [{ path: '/a', value: 1 }, 'Unexpected kind: unknown'],
    [{ op: '', path: '/a', value: 1 }, 'Unexpected kind: '],
    [{ op: 'add', path: '', value: 1 }, 'add operation does not apply: doc is missing path: "": missing value'],
    [{ op: 'remove', path: '' }, 'remove operation does not apply: doc is missing path: "": missing value'],
    [{ op: 'move', path: '/b' }, 'move operation failed to decode from: operation, missing from field: missing value'],
    [{ op: 'copy', path: '/b' }, 'copy operation failed to decode from: operation, missing from field: missing value'],
    [
      { op: 'move', from: '/a', path: '' },
      'move operation does not apply: doc is missing destination path: : missing value',
    ],
    [
      { op: 'copy', from: '/a', path: '/x/y' },
      'copy operation does not apply: doc is missing destination path: /x/y: missing value',
    ],
    [
      { op: 'move', from: '/x/y', path: '/b' },
      'move operation does not apply: doc is missing from path: /x/y: missing value',
    ],
    [
      { op: 'move', from: '/x', path: '/b' },
      "error in move for path: 'x': Unable to remove nonexistent key: x: missing value",
    ],
    [
      { op: 'add', path: '/l/x', value: 1 },
      `error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    [
      { op: 'remove', path: '/l/3' },
      "error in remove for path: '/l/3': Unable to access invalid index: 3: invalid index referenced",
    ],
    [
      { op: 'test', path: '/l/99999999999999999999', value: 1 },
      `error in test for path: '/l/99999999999999999999': strconv.Atoi: parsing "99999999999999999999": value out of range`,
    ],
    [
      { op: 'replace', path: '/l/3', value: 1 },
      'replace operation does not apply: doc is missing key: /l/3: missing value',
    ],
    [
      { op: 'copy', from: '/a', path: '/l/x' },
      `error while adding value during copy: value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
  ])('has the text of kube-apiserver for %j', (operation, text) => {
    expect(() => applyJsonPatch({ a: 1, l: [1] }, [operation])).toThrow(new PatchError('rejected', text));
  });

  it('keeps __proto__ and constructor as ordinary members', () => {
    const doc = JSON.parse('{"__proto__":{"a":1},"x":{}}') as JsonObject;
    const out = applyJsonPatch(doc, [
      { op: 'add', path: '/__proto__/b', value: 2 },
      { op: 'add', path: '/x/__proto__', value: { polluted: true } },
      { op: 'add', path: '/constructor', value: 3 },
    ]) as JsonObject;
    expect(JSON.stringify(out)).toBe('{"__proto__":{"a":1,"b":2},"x":{"__proto__":{"polluted":true}},"constructor":3}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(() => applyJsonPatch({}, [{ op: 'remove', path: '/toString' }])).toThrow(PatchError);
  });

  it('compares the spelling of numbers', () => {
    const text = '[{"op":"test","path":"/r","value":1},{"op":"test","path":"/r","value":{"s":"1.0","n":[1.0]}}]';
    expect([...oddlySpelledOperations(text)]).toEqual([1]);
    expect([...oddlySpelledOperations('[{"value":"1.0 , 2e3"},{"value":-3},{"value":1.5}]')]).toEqual([]);
    const patch = [{ op: 'test', path: '/r', value: 1 }];
    expect(() => applyJsonPatch({ r: 1 }, patch, { oddlySpelled: new Set([0]) })).toThrow(PatchError);
  });

  it('bounds the depth that moves and copies create', () => {
    // Each copy of the whole document into its own innermost object doubles the depth.
    const patch: JsonObject[] = [];
    let depth = 1;
    while (depth < 20_000) {
      patch.push({ op: 'copy', from: '/a', path: `/a${'/b'.repeat(depth)}` });
      depth *= 2;
    }
    expect(() => applyJsonPatch({ a: {} }, patch)).toThrow(PatchError);
    const chain = (n: number): JsonValue => (n === 0 ? {} : { x: chain(n - 1) });
    const doc = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, chain(900)])) as JsonObject;
    const moves = Array.from({ length: 19 }, (_, i) => ({
      op: 'move',
      from: `/k${i}`,
      path: `/k${i + 1}${'/x'.repeat(900)}/y`,
    }));
    expect(() => applyJsonPatch(doc, moves)).toThrow('the result is nested too deeply');
  });

  it('bounds operations and copies', () => {
    expect(() => decodeJsonPatch(new Array(10_001).fill({}), true)).toThrow(
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
    const doubling = Array.from({ length: 64 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(() => applyJsonPatch({ a: ['x'.repeat(1000)] }, doubling)).toThrow('the copied values are too large');
  });
});

describe('form of the document', () => {
  const text = (v: JsonValue, typed: boolean) => {
    try {
      return decodeJsonPatch(v, typed);
    } catch (e) {
      return (e as PatchError).message;
    }
  };
  it.each<[JsonValue, boolean, unknown]>([
    [null, true, []],
    [[], true, []],
    [[null], true, [{}]],
    [{}, false, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [{}, true, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [['x'], true, 'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: 1 }],
      true,
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
    [[{ op: 1 }], false, [{ op: 1 }]],
  ])('%j %s', (v, typed, out) => expect(text(v, typed)).toEqual(out));

  it('reports unknown members', () => {
    expect(unknownOperationMembers([{ op: 'add' }, { op: 'add', Op: 1, comment: 2 }])).toEqual([
      '[1].Op',
      '[1].comment',
    ]);
  });
});

const json: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
const pointer = fc
  .array(fc.constantFrom('a', 'b', '0', '1', '-1', '-', '', '__proto__', 'x~0y'), { maxLength: 4 })
  .map((t) => t.map((s) => `/${s}`).join(''));
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
    path: pointer,
    from: pointer,
    value: json,
  },
  { requiredKeys: ['op'] },
) as unknown as fc.Arbitrary<JsonObject>;

describe('any patch', () => {
  it('applies or is refused, and does not change the document', () => {
    fc.assert(
      fc.property(
        json,
        fc.array(operation, { maxLength: 8 }),
        fc.constantFrom('reference' as const, 'rfc6902' as const),
        (doc, patch, dialect) => {
          const before = JSON.stringify(doc);
          const patchBefore = JSON.stringify(patch);
          try {
            applyJsonPatch(doc, patch, { dialect });
          } catch (e) {
            expect(e).toBeInstanceOf(PatchError);
          }
          expect(JSON.stringify(doc)).toBe(before);
          expect(JSON.stringify(patch)).toBe(patchBefore);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('has the same result in both dialects if both accept it', () => {
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 4 }), (doc, patch) => {
        const run = (dialect: 'reference' | 'rfc6902') => {
          try {
            return JSON.stringify(applyJsonPatch(doc, patch, { dialect }));
          } catch {
            return undefined;
          }
        };
        const strict = run('rfc6902');
        const loose = run('reference');
        if (strict !== undefined && loose !== undefined) expect(loose).toBe(strict);
      }),
      { numRuns: 300 },
    );
  });
});

it('a patch is applied in steps, one for each operation', () => {
  const patch = Array.from({ length: 500 }, (_, i) => ({ op: 'add', path: `/k${i}`, value: i }));
  const steps = jsonPatchSteps({}, patch, {});
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses++;
  expect(pauses).toBe(500);
  expect(step.value).toEqual(applyJsonPatch({}, patch));
});
