import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../api/index.js';
import { Bench, refusal } from '../../../../testing.js';

/** The answers are those of kube-apiserver 1.37 with all feature gates. */

const answer = async (spec: JsonObject, container: JsonObject = {}): Promise<string> => {
  const b = await Bench.open();
  const pod = { metadata: { name: 'p' }, spec: { ...spec, containers: [{ name: 'c', image: 'i', ...container }] } };
  return refusal(b.create('pods', 'default', pod));
};

it.each<readonly [string, string | undefined, string]>([
  ['SIGTERM', undefined, 'Forbidden: may not be set for containers with empty `spec.os.name`'],
  ['SIGFOO', 'windows', 'Unsupported value: "SIGFOO": supported values: "SIGKILL", "SIGTERM"'],
  ['', 'windows', 'Unsupported value: "": supported values: "SIGKILL", "SIGTERM"'],
])('the stop signal %j is refused where the system is %s', async (stopSignal, name, message) => {
  const spec = name === undefined ? {} : { os: { name } };
  expect(await answer(spec, { lifecycle: { stopSignal } })).toBe(
    `422 Pod "p" is invalid: spec.containers[0].lifecycle.stopSignal: ${message}`,
  );
});

it('Linux has 65 stop signals, in the order of their names', async () => {
  const refused = await answer({ os: { name: 'linux' } }, { lifecycle: { stopSignal: 'X' } });
  const signals = refused.slice(refused.indexOf('values: ') + 8).split(', ');
  expect(signals).toHaveLength(65);
  expect([...signals.slice(0, 2), ...signals.slice(18, 21), ...signals.slice(-1)]).toEqual([
    ...['"SIGABRT"', '"SIGALRM"', '"SIGRTMAX"', '"SIGRTMAX-1"', '"SIGRTMAX-10"', '"SIGXFSZ"'],
  ]);
});

it.each<readonly [JsonObject, string]>([
  [
    { name: 'a.io/b', priority: 999 },
    'spec.evictionResponders[0].priority: Invalid value: 999: priorities 0-999 are reserved for responders with *.k8s.io suffix',
  ],
  [
    { name: 'a.k8s.io/b', priority: 1000 },
    'spec.evictionResponders[0].name: Invalid value: "a.k8s.io/b": domain names *.k8s.io, *.kubernetes.io are reserved',
  ],
])('the eviction responder %j is refused', async (responder, message) => {
  expect(await answer({ evictionResponders: [responder] })).toBe(`422 Pod "p" is invalid: ${message}`);
});
