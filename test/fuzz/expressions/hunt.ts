/**
 * Compares expressions with Kubernetes' own compiler and evaluator: generated expressions are asked of both, and the error, type,
 * estimated cost, value and counted cost must be equal. A difference is made as small as possible before it is reported.
 *
 *   REFERENCE=PROGRAM SECONDS_MAX=60 SEED=1 node dist/test/fuzz/expressions/hunt.js
 *
 * The reference is test/conformance/e2e/answers, built with Go. It reads `{"expr": ...}` and writes an answer, one on each line.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Answer, answer, comparable, environment, sentences } from './answer.js';
import { Generator, smaller, type Tree, textOf } from './generate.js';

const { REFERENCE, SECONDS_MAX = '60', SEED = '1' } = process.env;
if (REFERENCE === undefined) {
  console.log('no reference given; see the head of test/fuzz/expressions/hunt.ts');
  process.exit(0);
}
const child = spawn(REFERENCE, { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

async function askReference(text: string): Promise<Answer> {
  child.stdin.write(`${JSON.stringify({ expr: text })}\n`);
  const { value, done } = await lines.next();
  if (done === true) throw new Error(`the reference ended at ${text}`);
  return JSON.parse(value as string) as Answer;
}

/** The first part of two answers that differs. */
function difference(ours: Answer, theirs: Answer): string | undefined {
  const [a, b] = [sentences(ours), sentences(theirs)];
  return PARTS.find((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]));
}

const PARTS = ['error', 'type', 'estimate', 'fail', 'value', 'cost'] as const;

async function differs(tree: Tree): Promise<{ key: string; ours: Answer; theirs: Answer } | undefined> {
  const text = textOf(tree);
  const theirs = comparable(await askReference(text));
  if (theirs === undefined) return undefined;
  let ours: Answer;
  try {
    ours = answer(text);
  } catch (error) {
    ours = { error: `crash: ${(error as Error).stack}` };
  }
  const key = difference(ours, theirs);
  return key === undefined ? undefined : { key, ours, theirs };
}

let state = Number(SEED) * 48271 + 11;
const below = (n: number): number => {
  state = (state * 48271) % 2147483647;
  return state % n;
};
const generator = new Generator(environment, below);
const end = Date.now() + Number(SECONDS_MAX) * 1000;
const seen = new Map<string, number>();
const counts = { asked: 0, different: 0 };
while (Date.now() < end) {
  let tree = generator.any(1 + below(4));
  if (textOf(tree).length > 600) continue;
  counts.asked++;
  let found = await differs(tree);
  if (found === undefined) continue;
  counts.different++;
  for (let tries = 0, isSmaller = true; isSmaller && tries < 400; ) {
    isSmaller = false;
    for (const less of smaller(tree)) {
      if (++tries > 400) break;
      if (textOf(less).length >= textOf(tree).length) continue;
      const same = await differs(less);
      if (same?.key !== found.key) continue;
      [tree, found, isSmaller] = [less, same, true];
      break;
    }
  }
  const sign = `${found.key} ${textOf(tree).replace(/'[^']*'|[0-9]+/g, '_')}`;
  seen.set(sign, (seen.get(sign) ?? 0) + 1);
  if (seen.get(sign)! > 1) continue;
  console.log(
    `${found.key}: ${textOf(tree)}\n  ours   ${JSON.stringify(found.ours)}\n  theirs ${JSON.stringify(found.theirs)}`,
  );
}
console.log(JSON.stringify(counts));
child.stdin.end();
