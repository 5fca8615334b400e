import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../api/index.js';
import type { World } from '../base/index.js';
import { defaultPodSecurity, type PodSecurityConfig, podSecurityStep } from './podsecurity.js';
import { checksOf } from './podsecuritychecks.js';
import { PodSecurityMetrics } from './podsecuritymetrics.js';
import { admissionRequest, storedObjects } from './testing.js';

const world = {
  clock: { now: () => 0, monotonic: () => 0 },
  timers: { after: (_ms: number, f: () => void) => queueMicrotask(f), every: () => () => {} },
} as unknown as World;

const namespace = (labels: Readonly<Record<string, string>>): JsonObject => ({
  metadata: {
    name: 'n',
    labels: Object.fromEntries(Object.entries(labels).map(([k, v]) => [`pod-security.kubernetes.io/${k}`, v])),
  },
});

const pod = (spec: JsonObject = {}, name = 'x', metadata: JsonObject = {}): JsonObject => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

interface Outcome {
  readonly refused: string;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

async function judged(
  what: string,
  given: Parameters<typeof admissionRequest>[1],
  labels: Readonly<Record<string, string>>,
  config?: PodSecurityConfig,
  pods: readonly JsonObject[] = [],
): Promise<Outcome> {
  const warnings: string[] = [];
  const request = admissionRequest(what, { ...given, warnings });
  const step = podSecurityStep(storedObjects({ namespaces: [namespace(labels)], pods }), world, config);
  let refused = '';
  try {
    await step.validate?.(request);
  } catch (e) {
    if (!(e instanceof ApiError)) throw e;
    refused = String(e.status.message);
  }
  return { refused, warnings, annotations: Object.fromEntries(request.annotations) };
}

const restricted = pod({
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'c',
      image: 'i',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
});

describe('pod security', () => {
  it('refuses a pod that violates the enforced level, with every violation', async () => {
    const object = pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } });
    const { refused, annotations } = await judged('pods', { object }, { enforce: 'baseline' });
    expect(refused).toBe(
      'pods "x" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true), forbidden sysctls (kernel.msgmax)',
    );
    expect(annotations).toEqual({ 'pod-security.kubernetes.io/enforce-policy': 'baseline:latest' });
  });

  it('admits a pod that meets the restricted level', async () => {
    expect((await judged('pods', { object: restricted }, { enforce: 'restricted' })).refused).toBe('');
  });

  it('warns about and annotates templates, and does not refuse them', async () => {
    const object = { spec: { template: pod({ hostPID: true }) } };
    const labels = { enforce: 'baseline', warn: 'baseline', audit: 'baseline' };
    const { refused, warnings, annotations } = await judged('deployments', { object, group: 'apps' }, labels);
    const text = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)';
    expect({ refused, warnings }).toEqual({ refused: '', warnings: [text] });
    expect(annotations).toEqual({ 'pod-security.kubernetes.io/audit-violations': text });
  });

  it('exempts users, namespaces and runtime classes', async () => {
    const object = pod({ hostPID: true, runtimeClassName: 'vm' });
    const exempting = (exemptions: Partial<PodSecurityConfig['exemptions']>): Promise<Outcome> =>
      judged(
        'pods',
        { object },
        { enforce: 'baseline' },
        { ...defaultPodSecurity, exemptions: { ...defaultPodSecurity.exemptions, ...exemptions } },
      );
    for (const [kind, config] of [
      ['user', { usernames: new Set(['u']) }],
      ['namespace', { namespaces: new Set(['n']) }],
      ['runtimeClass', { runtimeClasses: new Set(['vm']) }],
    ] as const) {
      const { refused, annotations } = await exempting(config);
      expect(refused).toBe('');
      expect(annotations['pod-security.kubernetes.io/exempt']).toBe(kind);
    }
  });

  it('checks an update only if it adds an image or container', async () => {
    const old = pod({ hostPID: true });
    const same = { ...pod({ hostPID: true }), metadata: { name: 'x', labels: { a: 'b' } } };
    const request = { operation: 'update', old } as const;
    expect((await judged('pods', { ...request, object: same }, { enforce: 'baseline' })).refused).toBe('');
    const image = pod({ hostPID: true, containers: [{ name: 'c', image: 'new' }] });
    expect((await judged('pods', { ...request, object: image }, { enforce: 'baseline' })).refused).toContain(
      'violates',
    );
  });

  it('warns about existing pods when the level of a namespace becomes stricter', async () => {
    const pods = [pod({ hostPID: true }, 'b'), pod({ hostPID: true }, 'a'), restricted];
    const given = {
      operation: 'update',
      name: 'n',
      namespace: '',
      object: namespace({ enforce: 'baseline' }),
      old: namespace({}),
    } as const;
    const { warnings } = await judged('namespaces', given, {}, undefined, pods);
    expect(warnings).toEqual([
      'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 1 other pod): host namespaces',
    ]);
  });

  it('rejects invalid labels', async () => {
    const object = namespace({ enforce: 'strong', 'warn-version': '1.30' });
    const { refused } = await judged('namespaces', { object, name: 'n', namespace: '' }, {});
    expect(refused).toBe(
      'Namespace "n" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strong": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.30": must be "latest" or "v1.x"]',
    );
  });

  it('selects the checks of a version', () => {
    expect([0, 34, 35, 99].map((minor) => checksOf('baseline', minor).length)).toEqual([11, 12, 12, 12]);
    expect(checksOf('restricted', 0).length).toBe(12);
    expect(checksOf('restricted', 37).length).toBe(15);
  });
});

describe('the metrics of PodSecurity', () => {
  it('count evaluations by mode, level and version, denials only where a mode audits or warns, and exemptions', async () => {
    const metrics = new PodSecurityMetrics();
    const judge = async (labels: Readonly<Record<string, string>>, object: JsonObject, config?: PodSecurityConfig) => {
      const step = podSecurityStep(storedObjects({ namespaces: [namespace(labels)] }), world, config, metrics);
      const request = admissionRequest('pods', { object, warnings: [] });
      await Promise.resolve(step.validate?.(request)).catch(() => {});
    };
    const asked = { enforce: 'baseline', audit: 'restricted', warn: 'restricted' };
    await judge({}, restricted);
    await judge({ ...asked, 'audit-version': 'v1.99' }, restricted);
    await judge({ ...asked, 'audit-version': 'v1.99' }, pod());
    const exemptions = { usernames: new Set(['jane']), namespaces: new Set(['n']), runtimeClasses: new Set<string>() };
    await judge(asked, restricted, { ...defaultPodSecurity, exemptions });
    const shown = metrics.families.flatMap((family) =>
      family.get().values.map(({ labels, value }) => `${Object.values(labels).join(' ')} ${value}`),
    );
    expect(shown.filter((line) => !line.endsWith(' 0'))).toEqual([
      'allow privileged latest enforce create pod  1',
      'allow baseline latest enforce create pod  2',
      'deny restricted future audit create pod  1',
      'deny restricted latest warn create pod  1',
      'create pod  1',
    ]);
    expect(shown).toContain('update controller  0');
  });
});
