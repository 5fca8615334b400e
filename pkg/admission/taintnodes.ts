import { type AdmissionStep, objectIn, objectsAt, textAt } from '../api/index.js';
import { isAbout } from './step.js';

const NOT_READY = 'node.kubernetes.io/not-ready';

/** Taints a new node as not ready, so that no pod is scheduled on it before the node reports. */
export const taintNodesStep: AdmissionStep = {
  name: 'TaintNodesByCondition',
  mutate: (request) => {
    if (request.operation !== 'create' || !isAbout(request, '', 'nodes') || request.object === undefined) return;
    const spec = objectIn(request.object, 'spec');
    const taints = objectsAt(spec, 'taints');
    if (taints.some((t) => textAt(t, 'key') === NOT_READY && textAt(t, 'effect') === 'NoSchedule')) return;
    spec['taints'] = [...taints, { key: NOT_READY, effect: 'NoSchedule' }];
  },
};
