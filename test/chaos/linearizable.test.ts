import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkLinearizable,
  type ObjectInput,
  type ObjectOutput,
  type ObjectState,
  type Operation,
  objectModel,
} from './linearizable.js';

type Op = Operation<ObjectInput, ObjectOutput>;

const op = (called: number, returned: number, input: ObjectInput, output?: ObjectOutput): Op => ({
  called,
  returned,
  input,
  output,
});
const create = (value: string): ObjectInput => ({ kind: 'create', value });
const update = (value: string, expected: string): ObjectInput => ({ kind: 'update', value, expected });
const get: ObjectInput = { kind: 'get' };
const remove: ObjectInput = { kind: 'delete' };
const ok = (value: string, version: string): ObjectOutput => ({ kind: 'ok', value, version });
const gone: ObjectOutput = { kind: 'notFound' };
const conflict: ObjectOutput = { kind: 'conflict' };
const NEVER = Number.POSITIVE_INFINITY;

const verdict = (...history: Op[]) => checkLinearizable(objectModel, history).kind;

describe('correct histories', () => {
  it('may be sequential', () => {
    expect(
      verdict(
        op(0, 1, create('a'), ok('a', '1')),
        op(2, 3, get, ok('a', '1')),
        op(4, 5, remove, { kind: 'deleted' }),
        op(6, 7, get, gone),
      ),
    ).toBe('linearizable');
  });

  it('may have a concurrent read that sees either state', () => {
    expect(
      verdict(
        op(0, 1, create('a'), ok('a', '1')),
        op(2, 9, update('b', '1'), ok('b', '2')),
        op(3, 4, get, ok('b', '2')),
      ),
    ).toBe('linearizable');
    expect(
      verdict(
        op(0, 1, create('a'), ok('a', '1')),
        op(2, 9, update('b', '1'), ok('b', '2')),
        op(3, 4, get, ok('a', '1')),
      ),
    ).toBe('linearizable');
  });

  it('may have a write of unknown outcome that takes effect late or never', () => {
    expect(verdict(op(0, NEVER, create('a')), op(5, 6, get, gone), op(7, 8, get, ok('a', '3')))).toBe('linearizable');
    expect(verdict(op(0, NEVER, create('a')), op(5, 6, get, gone))).toBe('linearizable');
  });

  it('may have two creates of which one succeeds', () => {
    expect(
      verdict(op(0, 5, create('a'), ok('a', '1')), op(0, 5, create('b'), conflict), op(6, 7, get, ok('a', '1'))),
    ).toBe('linearizable');
  });
});

describe('incorrect histories', () => {
  it('a stale read after a newer one was seen', () => {
    expect(
      verdict(
        op(0, 1, create('a'), ok('a', '1')),
        op(2, 9, update('b', '1'), ok('b', '2')),
        op(3, 4, get, ok('b', '2')),
        op(5, 6, get, ok('a', '1')),
      ),
    ).toBe('violation');
  });

  it('a lost write', () => {
    expect(verdict(op(0, 1, create('a'), ok('a', '1')), op(2, 3, get, gone))).toBe('violation');
  });

  it('a write that reappears', () => {
    expect(
      verdict(op(0, 1, create('a'), ok('a', '1')), op(2, 3, remove, { kind: 'deleted' }), op(4, 5, get, ok('a', '1'))),
    ).toBe('violation');
  });

  it('two updates of the same version', () => {
    expect(
      verdict(
        op(0, 1, create('a'), ok('a', '1')),
        op(2, 5, update('b', '1'), ok('b', '2')),
        op(2, 5, update('c', '1'), ok('c', '3')),
      ),
    ).toBe('violation');
  });

  it('two successful creates', () => {
    expect(verdict(op(0, 5, create('a'), ok('a', '1')), op(0, 5, create('b'), ok('b', '2')))).toBe('violation');
  });

  it('a conflict without a change', () => {
    expect(verdict(op(0, 1, create('a'), ok('a', '1')), op(2, 3, update('b', '1'), conflict))).toBe('violation');
  });

  it('the result names the operations that could not be placed', () => {
    const stale = op(5, 6, get, ok('a', '1'));
    const result = checkLinearizable(objectModel, [
      op(0, 1, create('a'), ok('a', '1')),
      op(2, 3, update('b', '1'), ok('b', '2')),
      stale,
    ]);
    expect(result).toMatchObject({ kind: 'violation', stuck: [stale] });
  });
});

/** A sequential object used by several clients: every operation takes effect at some moment between call and return. */
const scripts = fc.array(
  fc.record({
    kind: fc.constantFrom('create', 'update', 'delete', 'get'),
    called: fc.integer({ min: 0, max: 200 }),
    until: fc.integer({ min: 0, max: 20 }),
    lasts: fc.integer({ min: 0, max: 20 }),
    lost: fc.boolean(),
    expected: fc.integer({ min: 1, max: 12 }),
  }),
  { maxLength: 30 },
);

function run(
  script: readonly { kind: string; called: number; until: number; lasts: number; lost: boolean; expected: number }[],
): Op[] {
  let state: ObjectState = { kind: 'absent' };
  let version = 0;
  const inOrder = script
    .map((s, i) => ({ ...s, value: `v${i}`, moment: s.called + s.until + i / 1000 }))
    .sort((a, b) => a.moment - b.moment);
  return inOrder.map((s) => {
    const input = { kind: s.kind, value: s.value, expected: String(s.expected) } as ObjectInput;
    let output: ObjectOutput;
    const is: ObjectState = state;
    if (input.kind === 'create') output = is.kind === 'present' ? conflict : ok(s.value, String(++version));
    else if (is.kind === 'absent') output = gone;
    else if (input.kind === 'update')
      output = is.version === input.expected ? ok(s.value, String(++version)) : conflict;
    else output = input.kind === 'delete' ? { kind: 'deleted' } : ok(is.value, is.version);
    if (output.kind === 'ok' && input.kind !== 'get')
      state = { kind: 'present', value: s.value, version: output.version };
    if (output.kind === 'deleted') state = { kind: 'absent' };
    const lost = s.lost && s.kind !== 'get';
    return { input, output: lost ? undefined : output, called: s.called, returned: lost ? NEVER : s.moment + s.lasts };
  });
}

describe('a random history of a sequential object', () => {
  it('is linearizable', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        expect(checkLinearizable(objectModel, run(script)).kind).not.toBe('violation');
      }),
      { numRuns: 300 },
    );
  });

  it('is not linearizable when a read returns a value that was never written', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const history = run(script);
        const forged = [...history, op(1000, 1001, get, ok('never', '99'))];
        expect(checkLinearizable(objectModel, forged).kind).toBe('violation');
      }),
      { numRuns: 100 },
    );
  });
});
