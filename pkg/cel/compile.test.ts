import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Steps } from '../base/index.js';
import { compile, compileSteps, failed } from './compile.js';
import { estimateCostSteps } from './estimate.js';
import { COMPATIBLE, CURRENT, kubernetesEnvironment } from './kubernetes.js';
import { authorizerValue, type Check, CheckMemo } from './library/authorizer.js';
import { Suspended } from './suspended.js';
import { BOOL, DYN, opaque } from './types.js';
import { fromJson, isError, type Value } from './values.js';

const env = kubernetesEnvironment(COMPATIBLE).extend({
  object: DYN,
  authorizer: opaque('kubernetes.authorization.Authorizer'),
});

function run(text: string, object: Parameters<typeof fromJson>[0] = {}, limit?: number): Value {
  const compiled = compile(text, env);
  if (failed(compiled)) throw new Error(compiled.error);
  return compiled.program.run((name) => (name === 'object' ? fromJson(object) : undefined), limit).value;
}

const problem = (text: string): string => {
  const compiled = compile(text, env, [BOOL]);
  return failed(compiled) ? compiled.error : '';
};

describe('patterns', () => {
  it('that compile to large programs are refused', () => {
    const large = 'a{1,1000}'.repeat(20);
    expect(problem(`'a'.matches('${large}')`)).toContain('invalid matches argument');
    const found = run('object.text.matches(object.pattern)', { text: 'a', pattern: large });
    expect(isError(found) && found.message).toContain('expression too large');
  });

  it('do not meet texts that are too long for them', () => {
    const found = run("object.text.matches('([a-z.-]{1,300})c$')", { text: 'a.b-c'.repeat(200_000) });
    expect(isError(found) && found.message).toBe('the text is too long for the regular expression');
    expect(run("object.text.matches('^a.*c$')", { text: 'a.b-c'.repeat(100_000) })).toBe(true);
  });
});

describe('evaluation', () => {
  it('reads JSON objects', () => {
    const object = { spec: { replicas: 3, names: ['a', 'b'], ratio: 0.5, none: null } };
    expect(run("object.spec.replicas + 1 == 4 && object.spec.names.exists(n, n == 'b')", object)).toBe(true);
    expect(run('object.spec.none == null', object)).toBe(true);
    expect(run('has(object.spec.none) && !has(object.spec.missing)', object)).toBe(true);
    expect(run('object.spec.ratio * 2.0 == 1.0', object)).toBe(true);
    expect(run("object.?spec.?missing.orValue('x')", object)).toBe('x');
  });

  it('keeps one value of an outer variable while an inner loop runs', () => {
    expect(run('[1, 2].map(x, [3, 4].map(y, x * y)) == [[3, 4], [6, 8]]')).toBe(true);
    expect(run('[[1], [2, 3]].all(l, l.all(x, x in l) && size(l) < 3)')).toBe(true);
  });

  it('stops at the cost limit', () => {
    const loop = '[1, 2, 3, 4].all(a, [1, 2, 3, 4].all(b, a + b > 0))';
    const compiled = compile(loop, env);
    if (failed(compiled)) throw new Error(compiled.error);
    const { value, cost } = compiled.program.run(() => undefined);
    expect(value).toBe(true);
    expect(compiled.program.run(() => undefined, cost).value).toBe(true);
    const stopped = compiled.program.run(() => undefined, cost - 1).value;
    expect(isError(stopped) && stopped.message).toBe('operation cancelled: actual cost limit exceeded');
  });

  it('waits for a decision of the authorizer and makes each check once', async () => {
    const asked: Check[] = [];
    const memo = new CheckMemo(async (check) => {
      asked.push(check);
      return { allowed: true, reason: 'ok', error: undefined };
    });
    const text =
      "authorizer.group('apps').resource('deployments').namespace('x').check('get').allowed() && authorizer.group('apps').resource('deployments').namespace('x').check('get').reason() == 'ok'";
    const compiled = compile(text, env, [BOOL]);
    if (failed(compiled)) throw new Error(compiled.error);
    const variables = (name: string) => (name === 'authorizer' ? authorizerValue(memo) : undefined);
    let waits = 0;
    for (;;) {
      try {
        expect(compiled.program.run(variables).value).toBe(true);
        break;
      } catch (error) {
        if (!(error instanceof Suspended)) throw error;
        waits++;
        await error.until;
      }
    }
    expect(waits).toBe(1);
    expect(asked).toMatchObject([{ group: 'apps', resource: 'deployments', namespace: 'x', verb: 'get' }]);
  });

  it('offers new expressions only the functions of the oldest compatible release', () => {
    expect(problem('[1].includes(1)')).toContain("undeclared reference to 'includes'");
    expect(failed(compile('[1].includes(1)', kubernetesEnvironment(CURRENT)))).toBe(false);
    expect(failed(compile("ip('10.0.0.1').family() == 4", kubernetesEnvironment(29)))).toBe(true);
  });

  it('compares strings by code points', () => {
    expect(run("'\\uffff' < '\\U00010000'")).toBe(true);
  });
});

describe('errors', () => {
  it('point to the operator, the call, the selection', () => {
    expect(problem('1 + 1u == 2')).toBe(
      "compilation failed: ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, uint)'\n | 1 + 1u == 2\n | ..^",
    );
    expect(problem('object.a ==\n  foo(1)')).toBe(
      "compilation failed: ERROR: <input>:2:6: undeclared reference to 'foo' (in container '')\n |   foo(1)\n | .....^",
    );
    expect(problem('1')).toBe('must evaluate to bool but got int');
  });

  it('recover from one wrong token like ANTLR', () => {
    expect(problem('(true')).toContain("1:6: Syntax error: missing ')' at '<EOF>'");
    expect(problem('true true')).toContain("1:6: Syntax error: extraneous input 'true' expecting <EOF>");
    expect(problem('[true')).toContain("1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}");
    expect(problem('object.')).toContain("1:8: Syntax error: no viable alternative at input '.'");
    expect(problem('true & false').match(/Syntax error/g)).toHaveLength(2);
  });

  it('refuse deep nesting before the stack overflows', () => {
    expect(problem(`${'('.repeat(10_000)}true${')'.repeat(10_000)}`)).toContain(
      'expression recursion limit exceeded: 250',
    );
    expect(problem(`object${'.a'.repeat(10_000)} == 1`)).toContain('max recursion depth exceeded');
    expect(problem('true'.padEnd(200_000))).toContain('expression code point size exceeds limit');
  });

  it('refuse maps in maps before the stack overflows', () => {
    expect(problem('{1:'.repeat(20_000))).toContain('expression recursion limit exceeded: 250');
  });

  it('are counted beyond a hundred', () => {
    const many = problem('@ '.repeat(40_000));
    expect(many.split('\n')).toHaveLength(101);
    expect(many).toContain("<input>:1:199: Syntax error: token recognition error at: '@'\n");
    expect(many.endsWith('\n1 more errors were truncated')).toBe(true);
    const typed = problem(`[${'zz, '.repeat(149)}zz]`);
    expect(typed.match(/undeclared reference/g)).toHaveLength(100);
    expect(typed.endsWith('\n50 more errors were truncated')).toBe(true);
  });

  it('end the parser after thirty recoveries', () => {
    const found = problem(Array(40).fill('(1 2 3)').join(' + '));
    expect(found).toContain('Syntax error: error recovery attempt limit exceeded: 30');
    expect(found.match(/ERROR: /g)!.length).toBeLessThanOrEqual(31);
  });

  it('end the parser when a recovery skips 256 tokens', () => {
    expect(problem(`{1 ${'2 '.repeat(300)}}`)).toContain(
      'ERROR: <input>:-1:0: error recovery token lookahead limit exceeded: 256',
    );
  });

  it('are shown without their line if it is long', () => {
    expect(problem(`zz == '${'a'.repeat(16_384)}'`)).toBe(
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'zz' (in container '')",
    );
  });

  // A lexer that scans to the end at each position, or a parser that recovers from every error, takes minutes.
  it.each(['"', "'", '("a"', 'r"""', '//\n', '. ', '?:', '[}', '``', '@\n', '"\\q', '[1],', 'zz,'])(
    'of %j, repeated, take time in proportion to the text',
    (text) => {
      expect(problem(text.repeat(Math.floor(99_000 / text.length)))).not.toBe('');
    },
  );

  it('of literals are found when the expression is compiled', () => {
    expect(problem("'a'.matches('[')")).toContain('invalid matches argument');
    expect(problem("duration('1d') == duration('1s')")).toContain('invalid duration argument');
    const pattern = 'program instantiation failed: error parsing regexp: missing closing ): `(`';
    expect(problem("'a'.find('(') == ''")).toBe(pattern);
    expect(problem("'a'.findAll('(', 2) == []")).toBe(pattern);
    expect(problem("matches('a', '(')")).toBe(pattern);
    expect(problem("matches('(', 'a')")).toContain('invalid matches argument');
    expect(problem("int('x') == 1")).toBe("program instantiation failed: type conversion error from 'string' to 'int'");
    expect(problem("[1, 'a'].size() == 2")).toContain("expected type 'int' but found 'string'");
    expect(problem("'%s %s'.format([1, 'a']) == ''")).toBe('');
  });

  it('name the type of the first overload that an operand without a type accepts', () => {
    expect(problem('{}[1] / dyn(1.5) % 1u == 1u')).toContain("'_%_' applied to '(double, uint)'");
    expect(problem('{}[1] - dyn(1.5) == 1')).toContain("'_==_' applied to '(double, int)'");
    expect(problem('{}[1] * dyn(1.5) == 1')).toContain("'_==_' applied to '(double, int)'");
  });
});

describe('a call that the limit does not allow', () => {
  const outcome = (text: string) => {
    const compiled = compile(text, env);
    if (failed(compiled)) throw new Error(compiled.error);
    return compiled.program.run(() => null, 1_000_000);
  };
  const numbers = Array.from({ length: 8_000 }, (_, i) => i).join(',');

  it.each([`[${numbers}].distinct()`, `sets.equivalent([${numbers}], [${numbers}])`])(
    'is refused before it is made: %#',
    (text) => {
      // Made first, it would compare hundreds of millions of pairs.
      const { value, cost } = outcome(text);
      expect(value).toMatchObject({ message: expect.stringContaining('actual cost limit exceeded') });
      expect(cost).toBeGreaterThan(1_000_000);
    },
  );

  it.each([
    `'${'a'.repeat(40_000)}'.replace('a', '${'b'.repeat(40_000)}')`,
    `'${'a'.repeat(40_000)}'.replace('', '${'b'.repeat(40_000)}')`,
    `'${'a'.repeat(40_000)}'.split('').join('${'b'.repeat(40_000)}')`,
  ])('fails if its text would be too long for memory: %#', (text) => {
    expect(outcome(text).value).toMatchObject({ message: expect.stringContaining('exceeds the limit') });
  });

  it('fails if it would be a longer list than kube-apiserver makes', () => {
    const { value } = outcome('lists.range(3600000000000)');
    expect(value).toMatchObject({ message: 'lists.range: size 3600000000000 exceeds maximum allowed (1000000)' });
  });
});

describe('any text', () => {
  it('compiles or is refused, and never throws', () => {
    const pieces = fc.constantFrom(
      ...[
        'object',
        '.',
        'a',
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        '?',
        '!',
        '-',
        '+',
        '==',
        '&&',
        '||',
        'in',
        'true',
      ],
      ...[
        '1',
        '1u',
        '1.5',
        "'s'",
        '"',
        "'",
        'b',
        '`',
        '\\',
        '\u00e9',
        '\n',
        ' ',
        '=',
        '@',
        'has',
        'all',
        'x',
        'map',
        '..',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const compiled = compile(parts.join(''), env);
        if (failed(compiled)) expect(compiled.error).toMatch(/^(compilation failed|must evaluate|program inst)/);
        else compiled.program.run(() => null, 10_000);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Runs steps to their end, and returns their result and how many there were. */
function counted<T>(steps: Steps<T>): { readonly value: T; readonly count: number } {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, count };
  }
}

describe('long expressions', () => {
  const many = (part: string, between: string) => Array.from({ length: 8_000 }, () => part).join(between);
  const long: Readonly<Record<string, string>> = {
    operands: many('object==1', '||'),
    'operands in a loop': `object.l.all(x, ${many('x > 1', '||')})`,
    elements: `[${many('[1]', ',')}].size() > 0`,
    entries: `{${Array.from({ length: 8_000 }, (_, i) => `${i}: 1`).join(',')}}.size() > 0`,
    'inner elements': `${'['.repeat(240)}${many('1', ',')}${']'.repeat(240)}.size() > 0`,
  };
  for (const [name, text] of Object.entries(long))
    it(`are compiled and estimated in steps: ${name}`, () => {
      const environment = kubernetesEnvironment(CURRENT).extend({ object: DYN });
      const { value: compiled, count } = counted(compileSteps(text, environment));
      if (failed(compiled)) throw new Error(compiled.error);
      // A step is at most a thousand tokens or nodes, and some 8,000 parts are read, parsed, checked and compiled.
      expect(count).toBeGreaterThan(50);
      expect(counted(estimateCostSteps(compiled, () => undefined)).count).toBeGreaterThan(8);
    });

  it('are parsed in steps up to an error', () => {
    const { value, count } = counted(compileSteps(`[${many('[1]', ',')}, ]]`, env));
    expect(failed(value) && value.error).toContain('Syntax error: ');
    expect(count).toBeGreaterThan(20);
  });
});

describe('deep expressions', () => {
  const deep = (levels: number) => {
    let text = '1';
    for (let i = 0; i < levels; i++) text = `[${text}${'+1'.repeat(200)}].size()`;
    return text;
  };

  it('are compiled, whatever their depth', () => {
    for (const levels of [10, 100]) {
      const compiled = compile(deep(levels), env);
      if (failed(compiled)) throw new Error(compiled.error);
      expect(compiled.checked.type).toEqual({ kind: 'int' });
    }
    expect(run(deep(10))).toBe(1n);
  });

  it('are an error if they are too deep to be evaluated', () => {
    const found = run(deep(220));
    expect(isError(found) && found.message).toBe('the expression nests too deeply to be evaluated');
  });
});

it('bytes have the escapes and characters of the literal', () => {
  expect(run(String.raw`string(b'a\x41\101\n\\é\u{1f600}')`.replace('\\u{1f600}', '\u{1f600}'))).toBe(
    'aAA\n\\é\u{1f600}',
  );
  expect(run(String.raw`b'\xff\377' == b'\377\xff' && b'\xff'.size() == 1`)).toBe(true);
});
