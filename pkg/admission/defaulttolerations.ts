import { type AdmissionStep, type JsonObject, objectIn, objectsAt, textAt } from '../api/index.js';
import { isAbout } from './step.js';

/** Seconds that a pod stays on a node that is not ready or unreachable, by default. */
const STAYS_SECONDS = 300;
const AWAY = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

/** Adds tolerations that let a pod stay through short absences of its node. */
export const defaultTolerationsStep: AdmissionStep = {
  name: 'DefaultTolerationSeconds',
  mutate: (request) => {
    if (request.operation !== 'create' && request.operation !== 'update') return;
    if (!isAbout(request, '', 'pods') || request.object === undefined) return;
    const spec = objectIn(request.object, 'spec');
    const tolerations = objectsAt(spec, 'tolerations');
    const missing = AWAY.filter((key) => !tolerations.some((t) => tolerates(t, key)));
    if (missing.length === 0) return;
    const added = missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: STAYS_SECONDS,
    }));
    spec['tolerations'] = [...tolerations, ...added];
  },
};

function tolerates(t: JsonObject, taint: string): boolean {
  const effect = textAt(t, 'effect');
  const key = textAt(t, 'key');
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}
