import type { shapes } from '../../../../schema/index.js';
import type { ResourceDeclaration } from '../../../resource.js';
import { boolAt, textAt } from '../../access.js';
import { statusSubresource, versions, withoutTable, withStatus } from '../../form.js';
import { podConnections } from '../connections.js';
import { bindingSubresource } from './binding.js';
import { defaultPod } from './defaults.js';
import { evictionSubresource } from './eviction.js';
import { ephemeralContainers } from './parts.js';
import { keepOfPodStatus, prepareChangedPod, prepareNewPod } from './prepare.js';
import { resize } from './resize.js';
import { podTable } from './table.js';
import {
  nameWarning,
  podStatusWarnings,
  podWarnings,
  validatePod,
  validatePodStatus,
  validatePodUpdate,
} from './validation/index.js';

export const pod: ResourceDeclaration<shapes.CoreV1Pod> = {
  group: '',
  resource: 'pods',
  singular: 'pod',
  kind: 'Pod',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['po'],
  categories: ['all'],
  strategy: withStatus({
    defaults: defaultPod,
    create: { prepare: prepareNewPod, validate: validatePod },
    update: { prepare: prepareChangedPod, validate: validatePodUpdate },
    warn: (o, old, context) => {
      if (old !== undefined) return undefined;
      nameWarning(o, context.warn);
      return podWarnings(o, '', context.warn);
    },
    deletion: {
      returnsObject: true,
      // an unscheduled or terminated pod is deleted at once; a running one gets its grace period
      gracePeriod: (o, requested) => {
        const spec = o['spec'];
        const declared =
          typeof spec === 'object' && spec !== null && !Array.isArray(spec)
            ? spec['terminationGracePeriodSeconds']
            : undefined;
        const period = requested ?? (typeof declared === 'number' ? declared : 30);
        if (textAt(o, 'spec', 'nodeName') === '') return 0;
        if (['Failed', 'Succeeded'].includes(textAt(o, 'status', 'phase'))) return 0;
        // a negative grace period becomes the minimum
        return period < 0 ? 1 : period;
      },
    },
    compatibility: { checksUpdateLikeNew: true },
  }),
  subresources: {
    ...podConnections,
    binding: bindingSubresource,
    ephemeralcontainers: withoutTable(ephemeralContainers),
    eviction: evictionSubresource,
    resize: withoutTable(resize),
    status: statusSubresource({
      update: {
        resetFields: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
        prepare: keepOfPodStatus,
        validate: validatePodStatus,
      },
      warn: (o, _old, context) => podStatusWarnings(o, context.warn),
    }),
  },
  selectableFields: {
    'spec.nodeName': (o) => textAt(o, 'spec', 'nodeName'),
    'spec.restartPolicy': (o) => textAt(o, 'spec', 'restartPolicy'),
    'spec.schedulerName': (o) => textAt(o, 'spec', 'schedulerName'),
    'spec.serviceAccountName': (o) => textAt(o, 'spec', 'serviceAccountName'),
    'spec.hostNetwork': (o) => String(boolAt(o, 'spec', 'hostNetwork')),
    'status.phase': (o) => textAt(o, 'status', 'phase'),
    'status.podIP': (o) => textAt(o, 'status', 'podIP'),
    'status.podIPs': () => '',
    'status.nominatedNodeName': (o) => textAt(o, 'status', 'nominatedNodeName'),
  },
  hotField: 'spec.nodeName',
  table: podTable,
};
