import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { refusal } from '../../registry/testing.js';
import { openScene } from '../testing/scene.js';
import { bootstrapSigner } from './signer.js';
import { tokenCleaner } from './tokencleaner.js';

const token = (id: string, more: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'bootstrap.kubernetes.io/token',
  metadata: { name: `bootstrap-token-${id}` },
  stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...more },
});

it('deletes tokens when they expire', async () => {
  const { bench, context, start, work } = await openScene();
  await start(tokenCleaner(context));
  const expiration = new Date(bench.world.clock.now() + 20_000).toISOString();
  await bench.create('secrets', 'kube-system', token('aaaaaa', { expiration }));
  await bench.create('secrets', 'kube-system', token('bbbbbb'));
  await bench.create('secrets', 'kube-system', token('cccccc', { expiration: '2050' }));
  await work(15);
  expect(await refusal(bench.get('secrets', 'kube-system', 'bootstrap-token-cccccc'))).toMatch(/^404/);
  expect(await bench.get('secrets', 'kube-system', 'bootstrap-token-aaaaaa')).toBeDefined();
  await work(10);
  expect(await refusal(bench.get('secrets', 'kube-system', 'bootstrap-token-aaaaaa'))).toMatch(/^404/);
  expect(await bench.get('secrets', 'kube-system', 'bootstrap-token-bbbbbb')).toBeDefined();
});

it('signs cluster-info with the tokens that may sign, until they end', async () => {
  const { bench, context, start, work } = await openScene();
  await start(bootstrapSigner(context));
  await bench.create('configmaps', 'kube-public', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-info' },
    data: { kubeconfig: 'k', 'jws-kubeconfig-old000': 'stale' },
  });
  const expiration = new Date(bench.world.clock.now() + 20_000).toISOString();
  await bench.create('secrets', 'kube-system', token('aaaaaa', { expiration }));
  await bench.create('secrets', 'kube-system', token('bbbbbb', { 'usage-bootstrap-signing': 'false' }));
  await work();
  const data = async () => (await bench.get('configmaps', 'kube-public', 'cluster-info'))['data'] as JsonObject;
  expect(Object.keys(await data()).toSorted()).toEqual(['jws-kubeconfig-aaaaaa', 'kubeconfig']);
  const [header = '', content, signature] = String((await data())['jws-kubeconfig-aaaaaa']).split('.');
  expect(content).toBe('');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', kid: 'aaaaaa' });
  const whole = `${header}.${Buffer.from('k').toString('base64url')}`;
  expect(signature).toBe(createHmac('sha256', 'aaaaaa.0123456789abcdef').update(whole).digest('base64url'));
  await work(25);
  expect(await data()).toEqual({ kubeconfig: 'k' });
});
