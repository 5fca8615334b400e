import { type AdmissionStep, objectAt, objectIn, objectsAt, textAt } from '../api/index.js';
import { isExtendedResource } from './quotausage.js';
import { isAbout } from './step.js';

/** Adds a toleration for each extended resource that a pod requests: nodes with such devices are tainted by their names. */
export const extendedResourceTolerationStep: AdmissionStep = {
  name: 'ExtendedResourceToleration',
  mutate: (request) => {
    const { operation, object } = request;
    if (object === undefined || !isAbout(request, '', 'pods')) return;
    if (operation !== 'create' && operation !== 'update') return;
    const names = new Set<string>();
    for (const list of ['containers', 'initContainers'])
      for (const c of objectsAt(object, 'spec', list))
        for (const name of Object.keys(objectAt(c, 'resources', 'requests')))
          if (isExtendedResource(name)) names.add(name);
    if (names.size === 0) return;
    const spec = objectIn(object, 'spec');
    const tolerations = [...objectsAt(spec, 'tolerations')];
    for (const key of [...names].sort()) {
      const wanted = { key, operator: 'Exists', effect: 'NoSchedule' };
      const same = tolerations.findIndex(
        (t) => textAt(t, 'key') === key && textAt(t, 'operator') === 'Exists' && textAt(t, 'effect') === 'NoSchedule',
      );
      if (same < 0) tolerations.push(wanted);
      else tolerations[same] = wanted;
    }
    spec['tolerations'] = tolerations;
  },
};
