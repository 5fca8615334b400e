import { describe, expect, it } from 'vitest';
import { conditionsIn, openScene } from '../testing/scene.js';
import { apiServiceAvailability } from './availability.js';

describe('the availability of aggregated servers', () => {
  it('is checked every 30 s, and sooner after a failure: first after 5 s', async () => {
    const scene = await openScene();
    const { bench } = scene;
    await bench.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    const spec = { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 443 }] };
    await bench.create('services', 'other', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'server' }, spec });
    await bench.create('apiservices.apiregistration.k8s.io/v1', '', {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.test.example.com' },
      spec: {
        ...{ group: 'test.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
        ...{ insecureSkipTLSVerify: true, service: { namespace: 'other', name: 'server', port: 443 } },
      },
    });
    let problem: string | undefined;
    let checks = 0;
    const check = () => {
      checks++;
      return Promise.resolve(problem);
    };
    await scene.start(apiServiceAvailability(scene.context, check));
    const checksWithin = async (seconds: number): Promise<number> => {
      const before = checks;
      await scene.work(seconds);
      return checks - before;
    };
    await scene.work(2);
    const available = async () =>
      conditionsIn(await bench.get('apiservices.apiregistration.k8s.io/v1', '', 'v1.test.example.com'))['Available'];
    expect(await available()).toBe('True');
    expect(await checksWithin(25)).toBe(0);
    problem = 'no answer';
    expect(await checksWithin(5)).toBeGreaterThan(0);
    expect(await available()).toBe('False');
    expect(await checksWithin(6)).toBe(1);
    problem = undefined;
    await scene.work(21);
    expect(await available()).toBe('True');
    expect(await checksWithin(20)).toBe(0);
  });
});
