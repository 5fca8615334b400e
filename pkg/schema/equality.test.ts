import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../api/index.js';
import { equalAs } from './index.js';

const requests = (cpu: string): JsonValue => ({ containers: [{ name: 'a', resources: { requests: { cpu } } }] });
const parameters = (value: JsonValue): JsonValue => ({
  devices: { config: [{ opaque: { driver: 'd', parameters: value } }] },
});

describe('values of a type', () => {
  const table: readonly (readonly [string, string, JsonValue, JsonValue, boolean])[] = [
    ['quantities in two notations', 'core/v1.PodSpec', requests('2.'), requests('2000m'), true],
    ['other quantities', 'core/v1.PodSpec', requests('2.'), requests('2001m'), false],
    ['no quantities', 'core/v1.PodSpec', requests('x'), requests('y'), false],
    ['texts that are no quantities', 'core/v1.PodSpec', { hostname: '2.' }, { hostname: '2' }, false],
    ['a field more', 'core/v1.PodSpec', requests('2'), { ...(requests('2') as object), hostname: 'h' }, false],
    ['a container more', 'core/v1.PodSpec', requests('2'), { containers: [] }, false],
    [
      'a list of a type',
      '[]core/v1.PersistentVolumeClaim',
      [{ spec: { resources: { requests: { storage: '1e3' } } } }],
      [{ spec: { resources: { requests: { storage: '1k' } } } }],
      true,
    ],
    ['lists of other lengths', '[]core/v1.PersistentVolumeClaim', [], [{}], false],
    ['an absent list', '[]core/v1.PersistentVolumeClaim', null, [], false],
    [
      'opaque objects with keys in another order',
      'resource/v1.ResourceClaimSpec',
      parameters({ a: 1, b: 2 }),
      parameters({ b: 2, a: 1 }),
      false,
    ],
    [
      'opaque objects with the same text',
      'resource/v1.ResourceClaimSpec',
      parameters({ b: 2, a: 1 }),
      parameters({ b: 2, a: 1 }),
      true,
    ],
    [
      'fields in another order',
      'core/v1.PodSpec',
      { hostname: 'a', nodeName: 'b' },
      { nodeName: 'b', hostname: 'a' },
      true,
    ],
  ];
  it.each(table)('%s', (_, type, a, b, expected) => {
    expect(equalAs(type, a, b)).toBe(expected);
    expect(equalAs(type, b, a)).toBe(expected);
  });
});
