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

  it('has the times of image reviews as numbers: 0 is the default, -1 none', async () => {
    const of = (fields: string): string =>
      configuration(`
  - name: ImagePolicyWebhook
    configuration: {imagePolicy: {kubeConfigFile: /k, ${fields}}}
`);
    const defaults = {
      kubeConfigFile: '/k',
      allowTime: 300_000,
      denyTime: 30_000,
      retryWait: 500,
      defaultAllow: false,
    };
    expect(await readAdmissionConfig(of('allowTTL: 0'))).toEqual({ imagePolicy: defaults });
    expect(await readAdmissionConfig(of('allowTTL: -1, denyTTL: 1800, retryBackoff: 7, defaultAllow: true'))).toEqual({
      imagePolicy: { ...defaults, allowTime: 0, denyTime: 1_800_000, retryWait: 7, defaultAllow: true },
    });
    expect(await problemOf(of('denyTTL: 1801'))).toContain('imagePolicy.denyTTL: must be between 1 and 1800, got 1801');
    expect(await problemOf(of('retryBackoff: -2'))).toContain('imagePolicy.retryBackoff: must be between');
    expect(await problemOf(configuration('  - {name: ImagePolicyWebhook, configuration: {}}\n'))).toContain(
      'imagePolicy',
    );
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
    expect(await problemOf(configuration('  - {nam: x}\n'))).toContain('unknown field "plugins[0].nam"');
    expect(await problemOf(configuration('  - {name: EventRateLimit, path: missing.yaml}\n'))).toContain(
      'cannot read missing.yaml',
    );
  });
});
