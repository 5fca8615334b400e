import { describe, expect, it } from 'vitest';
import { type AdmissionStep, at, errors, type JsonObject, objectIn, setOwn } from '../api/index.js';
import { Bench, refusal } from './testing.js';

/** The registry's functions for admission steps. */

const configMap = (name: string, data: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const only = (resource: string, step: Omit<AdmissionStep, 'name'>): AdmissionStep => ({
  name: 'Test',
  ...(step.mutate && {
    mutate: (r) => (r.groupResource.resource === resource ? step.mutate?.(r) : undefined),
  }),
  ...(step.validate && {
    validate: (r) => (r.groupResource.resource === resource ? step.validate?.(r) : undefined),
  }),
  ...(step.transact && {
    transact: (r) => (r.groupResource.resource === resource ? step.transact?.(r) : undefined),
  }),
});

describe('an admission request', () => {
  it('adds annotations of any length whose keys are qualified names with a prefix', async () => {
    const valid = ['v.example.com/a', `v.example.com/${'k'.repeat(63)}`];
    const invalid = [
      'a',
      '/a',
      'v.example.com/',
      'v.example.com/a/b',
      'v.example.com/a b',
      `v.example.com/${'k'.repeat(64)}`,
      'V/a',
    ];
    const value = 'x'.repeat(20_000);
    const bench = await Bench.open([], () => [
      only('configmaps', {
        validate: (r) => {
          for (const key of [...invalid, ...valid]) r.annotate(key, value);
        },
      }),
    ]);
    await bench.create('configmaps', 'default', configMap('a'));
    expect(bench.annotations).toEqual(valid.map((key) => [key, value]));
  });

  it('reaches only the steps that it concerns', async () => {
    const called: string[] = [];
    const step = (kind: string): AdmissionStep => ({
      name: kind,
      concerns: ({ groupResource }) => groupResource.resource === kind,
      mutate: async ({ name }) => void called.push(`${kind} mutate ${name}`),
      validate: async ({ name }) => void called.push(`${kind} validate ${name}`),
    });
    const bench = await Bench.open([], () => [step('secrets'), step('configmaps')]);
    await bench.create('configmaps', 'default', configMap('a'));
    expect(called).toEqual(['configmaps mutate a', 'configmaps validate a']);
  });

  it('has the requested and the stored version, options, user and objects', async () => {
    const seen: JsonObject[] = [];
    const bench = await Bench.open([], () => [
      only('horizontalpodautoscalers', {
        validate: async (r) => {
          const other = await r.inVersion('autoscaling/v1');
          seen.push({
            operation: r.operation,
            requested: { ...r.requested.kind },
            stored: { ...r.stored.kind },
            equivalents: r.equivalents.map((e) => e.kind.version),
            options: r.options,
            user: r.user.name,
            name: r.name,
            percentage: at(other?.object, 'spec', 'targetCPUUtilizationPercentage') ?? null,
          });
        },
      }),
    ]);
    await bench.create('horizontalpodautoscalers.autoscaling/v1', 'default', {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        targetCPUUtilizationPercentage: 70,
      },
    });
    const kind = 'HorizontalPodAutoscaler';
    expect(seen).toEqual([
      {
        operation: 'create',
        requested: { group: 'autoscaling', version: 'v1', kind },
        stored: { group: 'autoscaling', version: 'v2', kind },
        equivalents: expect.arrayContaining(['v1', 'v2']),
        options: {
          kind: 'CreateOptions',
          apiVersion: 'meta.k8s.io/v1',
          fieldManager: 'test',
          fieldValidation: 'Strict',
        },
        user: 'admin',
        name: 'h',
        percentage: 70,
      },
    ]);
  });

  it('of a scale subresource has the Scale, and a step can change it', async () => {
    const bench = await Bench.open([], () => [
      only('deployments', {
        mutate: (r) => {
          if (r.subresource === 'scale') objectIn(r.object!, 'spec')['replicas'] = 2;
        },
      }),
    ]);
    const selector = { matchLabels: { a: 'b' } };
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await bench.create('deployments.apps/v1', 'default', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { selector, template },
    });
    const scaled = await bench.patch('deployments.apps/v1/scale', ['default', 'd'], { spec: { replicas: 9 } });
    expect([scaled['kind'], scaled['spec']]).toEqual(['Scale', { replicas: 2 }]);
  });

  it('of a connection has its options', async () => {
    const seen: (JsonObject | undefined)[] = [];
    const bench = await Bench.open([], () => [
      only('pods', {
        validate: (r) => {
          if (r.operation === 'connect') seen.push(r.object);
          if (r.operation === 'connect') throw errors.forbidden(r.groupResource, r.name, 'no');
        },
      }),
    ]);
    const parameters = {
      text: (name: string) => ({ container: 'c', stdin: 'true' })[name] ?? '',
      all: (name: string) => (name === 'command' ? ['ls', '-l'] : []),
      has: (name: string) => ['container', 'stdin', 'command'].includes(name),
      integer: () => undefined,
    };
    const target = bench.target('pods/exec', 'default', 'p');
    expect(
      await refusal(bench.registry.connect({ target, parameters, path: '', addressTypes: [] }, bench.context)),
    ).toBe('403 pods "p" is forbidden: no');
    expect(seen).toEqual([
      { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, container: 'c', command: ['ls', '-l'] },
    ]);
  });
});

describe('a mutating step', () => {
  it('replaces an object, which is then pruned and defaulted; invalid managed fields are restored', async () => {
    const bench = await Bench.open([], () => [
      only('services', {
        mutate: async (r) => {
          const { metadata, ...rest } = r.object!;
          await r.replace({
            ...rest,
            metadata: { ...(metadata as JsonObject), managedFields: [{ manager: 'x', operation: 'Nope' }] },
            spec: { ports: [{ port: 80 }], unknown: true },
          });
        },
      }),
    ]);
    const service = await bench.create('services', 'default', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 1 }] },
    });
    const spec = service['spec'] as JsonObject;
    expect(spec['ports']).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }]);
    expect(Object.hasOwn(spec, 'unknown')).toBe(false);
    const [entry] = (service['metadata'] as JsonObject)['managedFields'] as JsonObject[];
    expect(entry).toMatchObject({ manager: 'test', operation: 'Update' });
  });

  it('can request a second run of the mutating steps', async () => {
    const runs: string[] = [];
    const step = (name: string, asks: boolean): AdmissionStep => ({
      name,
      mutate: (r) => {
        if (r.groupResource.resource !== 'configmaps') return;
        runs.push(`${name} ${r.reinvocation.active}`);
        if (asks) r.reinvocation.request();
      },
    });
    const bench = await Bench.open([], () => [step('a', false), step('b', true)]);
    runs.length = 0;
    await bench.create('configmaps', 'default', configMap('c'));
    expect(runs).toEqual(['a false', 'b false', 'a true', 'b true']);
  });
});

describe('an addition to the transaction', () => {
  it('is written with the object, tracked, and settled once; a conflict repeats the decision', async () => {
    let settled = 0;
    let decisions = 0;
    let bench: Bench | undefined;
    const admission = () => [
      only('configmaps', {
        transact: async (r) => {
          if (r.name !== 'counted') return undefined;
          const counter = await bench!.get('secrets', 'default', 'counter');
          if (++decisions === 1) await bench!.patch('secrets', ['default', 'counter'], { data: { x: 'MQ==' } });
          setOwn(objectIn(counter, 'data'), 'y', 'Mg==');
          const resource = { group: '', resource: 'secrets' };
          return {
            write: [{ resource, object: counter, subresource: '' }],
            settled: () => {
              settled++;
            },
          };
        },
      }),
    ];
    bench = await Bench.open([], admission);
    await bench.create('secrets', 'default', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'counter' } });
    await bench.create('configmaps', 'default', configMap('counted'));
    expect([decisions, settled]).toEqual([2, 2]);
    const counter = await bench.get('secrets', 'default', 'counter');
    expect(counter['data']).toEqual({ x: 'MQ==', y: 'Mg==' });
    const managers = ((counter['metadata'] as JsonObject)['managedFields'] as JsonObject[]).map((f) => f['manager']);
    expect(managers).toContain('kube-apiserver');
  });
});
