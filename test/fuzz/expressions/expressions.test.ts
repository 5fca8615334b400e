import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Answer, answer, comparable, environment, sentences } from './answer.js';
import { Generator, smaller, textOf } from './generate.js';

/** Expressions whose answers once differed, with the answers of kube-apiserver 1.37.2. */
const recorded = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8')) as Record<
  string,
  Answer
>;

describe('expressions', () => {
  it.each(Object.entries(recorded))('%s is answered as by kube-apiserver', (text, theirs) => {
    expect(sentences(answer(text))).toEqual(sentences(comparable(theirs)!));
  });

  it('that are generated use most functions, and have an answer', () => {
    let state = 7;
    const generator = new Generator(environment, (n) => {
      state = (state * 48271) % 2147483647;
      return state % n;
    });
    const texts = Array.from({ length: 800 }, () => textOf(generator.any(3)));
    const answers = texts.map(answer);
    expect(answers.filter((a) => a.value !== undefined).length).toBeGreaterThan(200);
    expect(answers.filter((a) => a.fail !== undefined).length).toBeGreaterThan(40);
    const joined = texts.join('\n');
    const used = [...environment.functions.keys()].filter((f) => joined.includes(`${f}(`));
    expect(used.length).toBeGreaterThan(60);
  });

  it('become smaller as long as something can be left out', () => {
    const tree = {
      type: 'int',
      parts: ['(', { type: 'int', parts: ['i'] }, ' + ', { type: 'int', parts: ['7'] }, ')'],
    };
    const texts = [...smaller(tree)].map(textOf);
    expect(texts).toContain('i');
    expect(texts).toContain('7');
  });
});
