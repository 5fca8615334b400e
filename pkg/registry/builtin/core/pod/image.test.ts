import { describe, expect, it } from 'vitest';
import { pullsAlways } from './image.js';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('pullsAlways', () => {
  it.each([
    'nginx',
    'nginx:latest',
    'library/nginx',
    'registry.example.com/app',
    'localhost:5000/app:latest',
    'Registry.Example.COM/app',
    `app:latest@${DIGEST}`,
  ])('%s: yes', (image) => {
    expect(pullsAlways(image)).toBe(true);
  });

  it.each([
    'nginx:1.27',
    'localhost:5000/app:1',
    `nginx@${DIGEST}`,
    '',
    'Nginx',
    'Not_Valid!',
    'a b',
    'nginx:',
    'nginx:latest:latest',
    '-nginx',
    'a//b',
    '0123456789abcdef'.repeat(4),
    'x'.repeat(256),
  ])('%s: no', (image) => {
    expect(pullsAlways(image)).toBe(false);
  });

  it('rejects a long invalid image name quickly', () => {
    expect(pullsAlways(`${'a-'.repeat(500)}!`)).toBe(false);
  });
});
