import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { finish } from '../base/index.js';
import { restError } from './rest.js';
import { DecodeError, decodeReview, reviewSteps } from './review.js';
import type { OutboundResponse } from './target.js';

const TYPE = { group: 'g', kind: 'Review', version: 'v1', versions: ['v1'] };
const answer = (body: string, status = 200): OutboundResponse => ({ status, headers: {}, body: Buffer.from(body) });
const large = (lists: number): JsonObject => ({
  apiVersion: 'g/v1',
  kind: 'Review',
  lists: Array.from({ length: lists }, () => Array.from({ length: 10_000 }, () => 'x'.repeat(50))),
});

function problem(body: string): string {
  try {
    return JSON.stringify(decodeReview(TYPE, answer(body)));
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

describe('a review', () => {
  it('of megabytes is read in steps', () => {
    const review = large(9);
    const steps = reviewSteps(TYPE, answer(JSON.stringify(review)));
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses++;
    expect(step.value).toEqual(review);
    expect(pauses).toBeGreaterThan(50);
  });

  it('may have more values than a body only if its reader says so', () => {
    const text = JSON.stringify(large(11));
    expect(() => finish(reviewSteps(TYPE, answer(text)))).toThrow('the body has more than 100000 values');
    expect(finish(reviewSteps(TYPE, answer(text), 200_000))).toEqual(large(11));
  });

  it.each([
    ['{"a":1', 'unexpected end of JSON input'],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
  ])('%s has the error of Go', (body, text) => {
    expect(problem(body)).toBe(`couldn't get version/kind; json parse error: ${text}`);
  });

  it('that is a text is not an object', () => {
    expect(problem('garbage')).toContain('json: cannot unmarshal string into Go value of type struct');
  });
});

describe('a Status', () => {
  const status = (message: string): OutboundResponse =>
    answer(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: 403 }), 403);

  it('is the error of a response', () => {
    expect(restError(status('no'))?.message).toBe('no');
  });

  it('of more than a megabyte is not read', () => {
    expect(restError(status('x'.repeat(1 << 20)))?.message.length).toBeLessThan(10_000);
  });
});
