import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/index.js';
import { Bench, causesOf } from '../../../testing.js';
import { at, objectsAt } from '../../access.js';

const MIRROR = 'kubernetes.io/config.mirror';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const COST = 'controller.kubernetes.io/pod-deletion-cost';
const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_C = 'container.seccomp.security.alpha.kubernetes.io/c';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

const pod = (annotations: JsonObject, spec: JsonObject = {}, container: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', annotations },
  spec: { containers: [{ name: 'c', image: 'x', ...container }], ...spec },
});

const seccomp = (type: string, localhostProfile?: string): JsonObject => ({
  securityContext: { seccompProfile: { type, ...(localhostProfile && { localhostProfile }) } },
});
const appArmor = (type: string, localhostProfile?: string): JsonObject => ({
  securityContext: { appArmorProfile: { type, ...(localhostProfile && { localhostProfile }) } },
});
const FIELD = 'spec.containers[0].securityContext';

describe('an annotation of a new pod', () => {
  it.each<readonly [JsonObject, JsonObject]>([
    [
      pod({ [MIRROR]: 'x' }),
      `metadata.annotations[${MIRROR}]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
    ],
    [
      pod({ [TOLERATIONS]: 'x' }),
      `metadata.annotations: Invalid value: "${TOLERATIONS}": invalid character 'x' looking for beginning of value`,
    ],
    [
      pod({ [TOLERATIONS]: '[{"key":"a","operator":"Bad"}]' }),
      `metadata.annotations.${TOLERATIONS}[0].operator: Unsupported value: "Bad": supported values: "Equal", "Exists"`,
    ],
    ...['x', '99999999999', '+5', '', '05', '-'].map(
      (cost) =>
        [
          pod({ [COST]: cost }),
          `metadata.annotations[${COST}]: Invalid value: "${cost}": must be a 32bit integer`,
        ] as const,
    ),
    [
      pod({ [`${APP_ARMOR}z`]: 'unconfined' }),
      `metadata.annotations[${APP_ARMOR}z]: Invalid value: "z": container not found`,
    ],
    [
      pod({ [`${APP_ARMOR}c`]: 'foo' }),
      `metadata.annotations[${APP_ARMOR}c]: Invalid value: "foo": invalid AppArmor profile name: "foo"`,
    ],
    [
      pod({ [`${APP_ARMOR}c`]: 'runtime/default' }, {}, appArmor('Unconfined')),
      `${FIELD}.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match`,
    ],
    [
      pod({ [`${APP_ARMOR}c`]: 'localhost/a' }, {}, appArmor('Localhost', 'b')),
      `${FIELD}.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match`,
    ],
    [
      pod({ [SECCOMP]: 'foo' }),
      `metadata.annotations.${SECCOMP}: Invalid value: "foo": must be a valid seccomp profile`,
    ],
    [
      pod({ [SECCOMP]: 'localhost/../x' }),
      `metadata.annotations.${SECCOMP}: Invalid value: "../x": must not contain '..'`,
    ],
    [
      pod({ [SECCOMP_C]: 'foo' }),
      `metadata.annotations.${SECCOMP_C}: Invalid value: "foo": must be a valid seccomp profile`,
    ],
    [
      pod({ [SECCOMP]: 'unconfined' }, seccomp('RuntimeDefault')),
      'spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
    ],
    [
      pod({ [SECCOMP_C]: 'localhost/a' }, {}, seccomp('Localhost', 'b')),
      `${FIELD}.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match`,
    ],
    [
      pod({ [MIRROR]: 'x' }, { nodeName: 'n', resourceClaims: [{ name: 'a', resourceClaimName: 'b' }] }),
      '[]: Forbidden: static pods do not support resource claims',
    ],
  ] as never)('is refused: %j', async (o, problem) => {
    const bench = await Bench.open();
    expect(await causesOf(bench.create('pods', 'default', o))).toEqual([problem]);
  });

  it.each([
    [{ [COST]: '-05' }],
    [{ [COST]: '0' }],
    [{ [SECCOMP]: 'docker/default', [`${SECCOMP_C}z`]: 'runtime/default' }],
    [{ [`${APP_ARMOR}c`]: '' }],
  ])('is accepted: %j', async (annotations) => {
    const bench = await Bench.open();
    await bench.create('pods', 'default', pod(annotations));
  });

  it('is refused in a template, too', async () => {
    const bench = await Bench.open();
    const labels = { a: 'b' };
    const template = { metadata: { labels, annotations: { [COST]: 'x' } }, spec: pod({})['spec'] as JsonObject };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, template },
    };
    expect(await causesOf(bench.create('deployments.apps', 'default', deployment))).toEqual([
      `spec.template.annotations[${COST}]: Invalid value: "x": must be a 32bit integer`,
    ]);
  });
});

describe('an annotated AppArmor profile', () => {
  const profileOf = async (o: JsonObject): Promise<unknown> => {
    const bench = await Bench.open();
    await bench.create('pods', 'default', o);
    const stored = await bench.get('pods', 'default', 'p');
    const [container] = objectsAt(stored, 'spec', 'containers');
    return at(container, 'securityContext', 'appArmorProfile');
  };

  it('becomes the field of its container, unless the pod has the same', async () => {
    expect(await profileOf(pod({ [`${APP_ARMOR}c`]: 'localhost/x' }))).toEqual({
      type: 'Localhost',
      localhostProfile: 'x',
    });
    expect(await profileOf(pod({ [`${APP_ARMOR}c`]: 'unconfined' }, appArmor('RuntimeDefault')))).toEqual({
      type: 'Unconfined',
    });
    expect(await profileOf(pod({ [`${APP_ARMOR}c`]: 'runtime/default' }, appArmor('RuntimeDefault')))).toBeUndefined();
    expect(await profileOf(pod({ [`${APP_ARMOR}c`]: 'unconfined' }, { os: { name: 'windows' } }))).toBeUndefined();
  });

  it('stays as it is, and so does the annotation of a mirror pod', async () => {
    const bench = await Bench.open();
    await bench.create('pods', 'default', pod({ [`${APP_ARMOR}c`]: 'runtime/default' }));
    const causes = (annotations: JsonObject) =>
      causesOf(bench.patch('pods', ['default', 'p'], { metadata: { annotations } }));
    const kept = `metadata.annotations[${APP_ARMOR}c]: Forbidden: may not remove or update AppArmor annotations`;
    expect(await causes({ [`${APP_ARMOR}c`]: null })).toEqual([kept]);
    expect(await causes({ [`${APP_ARMOR}c`]: 'unconfined' })).toEqual([kept]);
    expect(await causes({ [MIRROR]: 'x' })).toEqual([
      `metadata.annotations[${MIRROR}]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
      `metadata.annotations[${MIRROR}]: Forbidden: may not add mirror pod annotation`,
    ]);
  });
});

it('refuses a claim that is made for an ephemeral volume, and a policy of restarts for containers that end', async () => {
  const bench = await Bench.open();
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } };
  const volumes = [
    { name: 'v', ephemeral: { volumeClaimTemplate: { spec: claim } } },
    { name: 'w', persistentVolumeClaim: { claimName: 'p-v' } },
  ];
  expect(await causesOf(bench.create('pods', 'default', pod({}, { volumes })))).toEqual([
    'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-v": must not reference a PVC that gets created for an ephemeral volume',
  ]);
  const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
  const init = (more: JsonObject) => pod({}, { initContainers: [{ name: 'i', image: 'x', resizePolicy, ...more }] });
  expect(await causesOf(bench.create('pods', 'default', init({})))).toEqual([
    'spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must not be set to \'RestartContainer\' for non-sidecar initContainers',
  ]);
  await bench.create('pods', 'default', init({ restartPolicy: 'Always' }));
});
