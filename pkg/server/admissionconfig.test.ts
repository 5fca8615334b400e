import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAdmissionConfig } from './admissionconfig.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-admission-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const configuration = (plugins: string): string =>
  file('admission.yaml', `apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n${plugins}`);

const problemOf = async (path: string): Promise<string> =>
  readAdmissionConfig(path).then(
    () => '',
    (e: unknown) => String((e as Error).message).replaceAll(`${folder}/`, ''),
  );

describe('the admission configuration', () => {
  it('is empty without a file', async () => {
    expect(await readAdmissionConfig('')).toEqual({});
  });

  it('has settings in the file and in others beside it', async () => {
    file(
      'events.yaml',
      'apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits: [{type: Server, qps: 5, burst: 10}]\n',
    );
    const path = configuration(`
  - name: PodSecurity
    configuration:
      apiVersion: pod-security.admission.config.k8s.io/v1
      kind: PodSecurityConfiguration
      defaults: {enforce: baseline, enforce-version: v1.30}
      exemptions: {namespaces: [kube-system]}
  - name: EventRateLimit
    path: events.yaml
  - name: PodNodeSelector
    configuration: {podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "a=b,c=d"}}
  - name: ResourceQuota
    configuration:
      apiVersion: apiserver.config.k8s.io/v1
      kind: ResourceQuotaConfiguration
      limitedResources: [{resource: pods, matchContains: [cpu]}]
`);
    const latest = { level: 'privileged', minor: Number.POSITIVE_INFINITY };
    expect(await readAdmissionConfig(path)).toEqual({
      podSecurity: {
        defaults: { enforce: { level: 'baseline', minor: 30 }, audit: latest, warn: latest },
        exemptions: { usernames: new Set(), namespaces: new Set(['kube-system']), runtimeClasses: new Set() },
      },
      eventLimits: [{ type: 'Server', qps: 5, burst: 10, cacheSize: 4096 }],
      nodeSelectors: { clusterDefaultNodeSelector: { a: 'b', c: 'd' } },
      limitedResources: [{ group: '', resource: 'pods', matchContains: ['cpu'] }],
    });
  });

  it('reports wrong fields with their paths', async () => {
    const security = (rest: string): string =>
      configuration(`
  - name: PodSecurity
    configuration: {apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, ${rest}}
`);
    expect(await problemOf(security('defaults: {enforce: strong}'))).toContain(
      'defaults.enforce: must be one of "privileged", "baseline", "restricted"',
    );
    expect(await problemOf(security('defaults: {audit-version: "1.3"}'))).toContain(
      'defaults.audit-version: must be "latest" or "v1.x"',
    );
    expect(await problemOf(security('exemptions: {namespaces: [a, a]}'))).toContain(
      'exemptions.namespaces[1]: duplicate value',
    );
    expect(await problemOf(configuration('  - {nam: x}\n'))).toContain('plugins[0].nam: unknown field');
    expect(await problemOf(configuration('  - {name: EventRateLimit, path: missing.yaml}\n'))).toContain(
      'cannot read missing.yaml',
    );
  });
});
