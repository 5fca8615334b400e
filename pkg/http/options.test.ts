import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/index.js';
import { deleteWishOfBody } from './deletebody.js';
import {
  checkedDeleteOptions,
  collectionOptions,
  deleteWishOfQuery,
  managerOf,
  patchOptions,
  writeOptions,
} from './options.js';
import { Query } from './requestinfo.js';

function refusal(f: () => unknown): string {
  try {
    f();
  } catch (error) {
    if (error instanceof ApiError) return `${error.status.code} ${error.message}`;
    throw error;
  }
  throw new Error('not refused');
}

const create = (query: string) => writeOptions('CreateOptions', new Query(query), 'kubectl/v1.33 (linux)');

describe('options of a write', () => {
  it('take the field manager from the query, else from the user agent', () => {
    expect(create('').fieldManager).toBe('kubectl');
    expect(create('dryRun=All').fieldManager).toBe('kubectl');
    expect(create('fieldManager=me')).toEqual({ dryRun: false, fieldManager: 'me', fieldValidation: 'Warn' });
    expect(create('dryRun=All&dryRun=All&fieldValidation=Strict')).toMatchObject({
      dryRun: true,
      fieldValidation: 'Strict',
    });
  });

  it.each([
    [
      'fieldValidation=strict',
      'fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    ['dryRun=', 'dryRun: Unsupported value: [""]: supported values: "All"'],
    ['dryRun=All&dryRun=Some', 'dryRun: Unsupported value: ["All","Some"]: supported values: "All"'],
    [`fieldManager=${'m'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    [`fieldManager=${'%C3%A9'.repeat(65)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['fieldManager=a%00b', 'fieldManager: Invalid value: "a\\x00b": invalid character U+0000 (at position 1)'],
    ['fieldManager=a%0Ab', 'fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)'],
    [
      'dryRun=x&fieldValidation=y',
      '[dryRun: Unsupported value: ["x"]: supported values: "All", fieldValidation: Unsupported value: "y": supported values: "", "Ignore", "Strict", "Warn"]',
    ],
  ])('%s', (query, message) => {
    expect(refusal(() => create(query))).toBe(`422 CreateOptions.meta.k8s.io "" is invalid: ${message}`);
  });

  it('keep the printable characters of the user agent', () => {
    expect(managerOf('a\u0001b c/1')).toBe('ab c');
    expect(managerOf('é'.repeat(100))).toBe('é'.repeat(64));
    expect(managerOf('')).toBe('');
  });
});

describe('options of a patch', () => {
  const patch = (type: 'apply' | 'merge', query: string) => patchOptions(new Query(query), type, 'kubectl/v1');

  it('are validated together', () => {
    expect(patch('apply', 'fieldManager=a&force=maybe').force).toBe(true);
    expect(patch('apply', 'fieldManager=a').force).toBe(false);
    expect(patch('merge', '').options.fieldManager).toBe('kubectl');
    expect(refusal(() => patch('merge', 'force=false'))).toContain(
      'force: Forbidden: may not be specified for non-apply patch',
    );
    expect(refusal(() => patch('apply', ''))).toContain('fieldManager: Required value: is required for apply patch');
  });
});

describe('options of a deletion', () => {
  const options = (query: string, unsafe = true) => checkedDeleteOptions(deleteWishOfQuery(new Query(query)), unsafe);

  it('are read from the query', () => {
    expect(options('')).toEqual({ dryRun: false, ignoreStoreReadError: false });
    expect(options('gracePeriodSeconds=0&propagationPolicy=Orphan')).toMatchObject({
      gracePeriodSeconds: 0,
      propagationPolicy: 'Orphan',
    });
  });

  it('are the only kind of a body, in any group and version', () => {
    const read = (text: string) => deleteWishOfBody({ bytes: Buffer.from(text), encoding: 'json' });
    expect(read('{"apiVersion":"apps/v1","kind":"DeleteOptions","dryRun":["All"]}').dryRun).toEqual(['All']);
    for (const kind of ['ConfigMap', 'Nope'])
      expect(refusal(() => read(`{"apiVersion":"v1","kind":"${kind}"}`))).toBe(
        `400 no kind "${kind}" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
      );
  });

  it('have preconditions in a query, too', () => {
    expect(options('uid=u').preconditions).toEqual({ uid: 'u' });
    expect(options('uid=u&resourceVersion=5').preconditions).toEqual({ uid: 'u', resourceVersion: '5' });
    expect(options('uid=&resourceVersion=').preconditions).toBeUndefined();
  });

  it('are rejected when they contradict each other', () => {
    expect(refusal(() => options('propagationPolicy=Maybe'))).toBe(
      '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Maybe": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
    expect(refusal(() => options('propagationPolicy=Orphan&orphanDependents=true'))).toContain(
      'orphanDependents and deletionPropagation cannot be both set',
    );
    const unsafe = 'ignoreStoreReadErrorWithClusterBreakingPotential';
    expect(options(`${unsafe}=true`).ignoreStoreReadError).toBe(true);
    expect(
      refusal(() => options(`${unsafe}=true&dryRun=All&gracePeriodSeconds=0&propagationPolicy=Orphan`))
        .split(`${unsafe}: Invalid value: true: `)
        .slice(1),
    ).toEqual(['cannot be set together with .propagationPolicy, ', 'cannot be set together with .gracePeriodSeconds]']);
    // With the gate closed the option is ignored, in any combination.
    expect(options(`${unsafe}=true&gracePeriodSeconds=0`, false)).toEqual({
      dryRun: false,
      gracePeriodSeconds: 0,
      ignoreStoreReadError: false,
    });
    const body = Buffer.from(`{"${unsafe}":true,"preconditions":{"uid":"u"}}`);
    expect(refusal(() => checkedDeleteOptions(deleteWishOfBody({ bytes: body, encoding: 'json' }), true))).toContain(
      'cannot be set together with .preconditions',
    );
    expect(refusal(() => options('gracePeriodSeconds=x'))).toBe('400 strconv.ParseInt: parsing "x": invalid syntax');
  });
});

it.each([
  ['resourceVersion=7', 'Exact'],
  ['resourceVersion=07', 'Exact'],
  ['resourceVersion=0', ''],
  ['resourceVersion=', ''],
  ['resourceVersion=x', ''],
  ['resourceVersion=7&limit=1', ''],
  ['resourceVersion=7&continue=a', ''],
  ['resourceVersion=7&resourceVersionMatch=NotOlderThan', 'NotOlderThan'],
])('a deletecollection with %s reads with the match %j', (query, match) => {
  expect(collectionOptions(new Query(query)).resourceVersionMatch).toBe(match);
});
