import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtinResources } from './builtin/index.js';
import type { ResourceDeclaration } from './resource.js';
import { isServed, runtimeConfigProblem } from './runtimeconfig.js';
import { buildServedResources } from './servedresources.js';

const resources = builtinResources();
const served = (...config: (readonly [string, boolean])[]) =>
  buildServedResources(resources, new Map(config), () => true);

describe('served resources', () => {
  const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };
  const pods = { group: '', version: 'v1', resource: 'pods' };
  const beta = { group: 'apps', version: 'v1beta2', resource: 'deployments' };
  const alpha = { group: 'apps', version: 'v1alpha1', resource: 'deployments' };

  it.each([
    [[], [true, true, false, false]],
    [['api/all=true'], [true, true, true, true]],
    [['api/all=false'], [false, false, false, false]],
    [
      ['api/all=false', 'api/ga=true'],
      [true, true, false, false],
    ],
    [['api/beta=true'], [true, true, true, false]],
    [
      ['api/alpha=true', 'apps/v1alpha1=false'],
      [true, true, false, false],
    ],
    [['apps/v1=false'], [false, true, false, false]],
    [
      ['apps/v1=false', 'apps/v1/deployments=true'],
      [true, true, false, false],
    ],
    [['api/v1=false'], [true, false, false, false]],
    [['v1=false'], [true, false, false, false]],
    [['v1/pods=false'], [true, false, false, false]],
    [
      ['/v1=false', '/v1/pods=true'],
      [true, true, false, false],
    ],
    [
      ['api/all=false', 'api/beta=true'],
      [false, false, true, false],
    ],
  ] as const)('with %j', (given, expected) => {
    const config = new Map(given.map((text) => [text.split('=')[0]!, text.endsWith('=true')] as const));
    expect([deployments, pods, beta, alpha].map((gvr) => isServed(gvr, config))).toEqual(expected);
  });

  it.each([
    [['api/all=true', 'v1=false', 'api/v1=true', 'v1/pods=false', 'apps/v1=false', '/v1/pods=false'], undefined],
    [['batch/v1beta1=false', 'apps/v1/nosuch=true'], undefined],
    [['apps/v9=true'], 'group version apps/v9 that has not been registered'],
    [
      ['apps/v1/Deployments=true'],
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
    [
      ['apiextensions.k8s.io/v1=false', 'events.k8s.io/v1=false', 'resource.k8s.io/v1beta1/resourceclaims=true'],
      undefined,
    ],
    [['api/all=false'], 'invalid runtime-config with only api/all=false'],
    [['api/all=false', 'v1=true'], undefined],
    [['apps=true'], 'runtime-config invalid key apps'],
    [['apps/v1/deployments/scale=true'], 'runtime-config invalid key apps/v1/deployments/scale'],
    [['nope.example/v1=true', 'api/beta=true', 'other/v1/x=false'], 'unknown api groups nope.example/v1,other/v1'],
  ] as const)('report the errors of %j with the messages of kube-apiserver', (given, expected) => {
    const config = new Map(given.map((text) => [text.split('=')[0]!, text.endsWith('=true')] as const));
    expect(runtimeConfigProblem(config, resources)).toBe(expected);
  });

  it('are found by resource and by kind, in every version', () => {
    const servedResources = served();
    for (const { group, versions } of servedResources.groups)
      for (const { version, resources: list } of versions)
        for (const r of list) {
          expect(servedResources.find(group, version, r.resource)).toBe(r);
          expect(servedResources.hasVersion(group, version)).toBe(true);
        }
    expect(servedResources.findKind({ group: 'apps', version: 'v1', kind: 'Deployment' })?.resource).toBe(
      'deployments',
    );
    expect(servedResources.find('apps', 'v1', 'nosuch')).toBeUndefined();
    expect(servedResources.hasVersion('apps', 'v7')).toBe(false);
    expect(served(['apps/v1', false]).hasVersion('apps', 'v1')).toBe(false);
  });

  it('are listed with the core group first, and the preferred version of a group first', () => {
    const { groups } = served(['api/all', true]);
    expect(groups[0]!.group).toBe('');
    const autoscaling = groups.find((g) => g.group === 'autoscaling')!;
    expect(autoscaling.versions.map((v) => v.version)).toEqual(['v2', 'v1']);
    for (const { versions } of groups)
      for (const { resources: list } of versions)
        expect(list.map((r) => r.resource)).toEqual(list.map((r) => r.resource).sort());
  });
});

describe('declarations', () => {
  const stored = resources.filter((r) => r.virtual === undefined);
  const name = (r: ResourceDeclaration): string => `${r.resource}.${r.group}`;

  it('have a storage version and a storage prefix of their own', () => {
    for (const r of stored)
      expect(
        r.versions.some((v) => v.version === r.storageVersion),
        name(r),
      ).toBe(true);
    const prefixes = stored.map((r) => `/registry/${r.storagePrefix ?? r.resource}/`);
    expect(new Set(prefixes).size).toBe(prefixes.length);
    for (const a of prefixes) for (const b of prefixes) expect(a !== b && a.startsWith(b), `${a} ${b}`).toBe(false);
  });

  it('have only selectable fields that exist, and a schema for each version', () => {
    for (const { versions } of served(['api/all', true]).groups)
      for (const { resources: list } of versions)
        for (const r of list) {
          const declared = resources.find((d) => d.group === r.declaration.group && d.resource === r.resource);
          const known = Object.keys(declared?.selectableFields ?? {});
          for (const [label, number] of r.fieldLabels) expect(known[number], `${r.resource} ${label}`).toBeDefined();
          const { hotField } = r.declaration;
          if (hotField !== undefined) expect(known, r.resource).toContain(hotField);
          expect(r.schema.fields.length, r.resource).toBeGreaterThan(0);
        }
  });

  it('of one kind in two groups share their storage, but have different field selectors', () => {
    const event = served().find('events.k8s.io', 'v1', 'events')!;
    expect(event.conversion).toBeDefined();
    expect(served().find('', 'v1', 'events')!.conversion).toBeUndefined();
    expect(event.storage).toEqual(served().find('', 'v1', 'events')!.storage);
    expect([...event.fieldLabels.keys()]).toContain('regarding.name');
    expect([...event.fieldLabels.keys()]).not.toContain('involvedObject.name');
  });
});

describe('shared code', () => {
  const folder = new URL('./', import.meta.url);
  const sources = ['', 'custom/'].flatMap((at) =>
    readdirSync(new URL(at, folder))
      .filter((f) => f.endsWith('.ts') && !f.endsWith('.test.ts') && f !== 'testing.ts')
      .map((f) => `${at}${f}`),
  );

  it.each(sources)('has no name of a kind: %s', (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const names = resources.flatMap((r) => [r.kind, r.resource]).filter((n) => text.includes(`'${n}'`));
    expect(names).toEqual([]);
  });
});
