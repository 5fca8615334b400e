import { describe, expect, it } from 'vitest';
import { annotateLatencies, type TimedCall } from './latencies.js';

function annotated(total: number, more: Partial<TimedCall> = {}): Record<string, string> {
  const found: Record<string, string> = {};
  const call: TimedCall = {
    verb: 'create',
    waited: 0,
    authenticationTime: 0.25,
    authorizationTime: 0.004,
    impersonationTime: 0,
    webhookTimes: undefined,
    encodingTime: 0,
    writingTime: 0,
    annotate: (key, value) => {
      found[key.slice('apiserver.latency.k8s.io/'.length)] = String(value);
    },
    ...more,
  };
  annotateLatencies(call, total);
  return found;
}

describe('the audit event of a slow request', () => {
  it('has the times of stages that took some', () => {
    const webhookTimes = { 'mutating-webhook': 611.091, 'validating-webhook': 606 };
    expect(annotated(1223.263915, { waited: 12, impersonationTime: 1, webhookTimes })).toEqual({
      'apf-queue-wait': '12ms',
      authentication: '250µs',
      authorization: '4µs',
      impersonation: '1ms',
      'mutating-webhook': '611.091ms',
      'validating-webhook': '606ms',
      total: '1.223263915s',
    });
    expect(annotated(700, { encodingTime: 600, writingTime: 590 })).toEqual({
      authentication: '250µs',
      authorization: '4µs',
      'serialize-response-object': '600ms',
      'response-write': '590ms',
      total: '700ms',
    });
    expect(annotated(501, { writingTime: 1 })).toEqual({
      authentication: '250µs',
      authorization: '4µs',
      total: '501ms',
    });
  });

  it('has none up to half a second, or of a watch', () => {
    expect(annotated(500)).toEqual({});
    expect(annotated(5000, { verb: 'watch' })).toEqual({});
  });
});
