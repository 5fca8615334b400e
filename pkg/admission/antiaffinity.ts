import { type AdmissionStep, objectsAt, textAt } from '../api/index.js';
import { forbidden, isAbout } from './step.js';

const HOSTNAME = 'kubernetes.io/hostname';

/** Allows required pod anti-affinity only with the host name topology key. */
export const antiAffinityStep: AdmissionStep = {
  name: 'LimitPodHardAntiAffinityTopology',
  validate: (request) => {
    const { operation, object } = request;
    if ((operation !== 'create' && operation !== 'update') || !isAbout(request, '', 'pods')) return;
    const terms = objectsAt(
      object,
      'spec',
      'affinity',
      'podAntiAffinity',
      'requiredDuringSchedulingIgnoredDuringExecution',
    );
    const other = terms.map((t) => textAt(t, 'topologyKey')).find((key) => key !== HOSTNAME);
    if (other !== undefined)
      throw forbidden(
        request,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other} but only key ${HOSTNAME} is allowed`,
      );
  },
};
