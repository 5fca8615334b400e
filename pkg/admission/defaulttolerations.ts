import { type AdmissionStep, type JsonObject, objectIn, objectsAt, textAt } from '../api/index.js';
import { isAbout } from './step.js';

/** Seconds that a pod stays on a node that is not ready or unreachable, by default. */
export interface TolerationSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

export const defaultTolerationSeconds: TolerationSeconds = { notReady: 300, unreachable: 300 };

/** Adds tolerations that keep a pod on a node that is briefly not ready or unreachable. */
export function defaultTolerationsStep(seconds: TolerationSeconds = defaultTolerationSeconds): AdmissionStep {
  const taints = [
    { key: 'node.kubernetes.io/not-ready', tolerationSeconds: seconds.notReady },
    { key: 'node.kubernetes.io/unreachable', tolerationSeconds: seconds.unreachable },
  ];
  return {
    name: 'DefaultTolerationSeconds',
    mutate: (request) => {
      if (request.operation !== 'create' && request.operation !== 'update') return;
      if (!isAbout(request, '', 'pods') || request.object === undefined) return;
      const spec = objectIn(request.object, 'spec');
      const tolerations = objectsAt(spec, 'tolerations');
      const missing = taints.filter(({ key }) => !tolerations.some((t) => tolerates(t, key)));
      if (missing.length === 0) return;
      const added = missing.map(({ key, tolerationSeconds }) => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds,
      }));
      spec['tolerations'] = [...tolerations, ...added];
    },
  };
}

function tolerates(t: JsonObject, taint: string): boolean {
  const effect = textAt(t, 'effect');
  const key = textAt(t, 'key');
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}
