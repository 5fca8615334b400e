import { type JsonObject, objectIn, objectsAt, textAt } from '../api/index.js';
import { isAbout, type Step } from './step.js';

/** Seconds for which a pod stays on a node that is not ready or cannot be reached, where it does not say. */
const STAYS_SECONDS = 300;
const AWAY = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

/** Pods sit out short absences of their node. */
export const defaultTolerationsStep: Step = {
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
