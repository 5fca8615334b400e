import { pathSegmentName } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, numberAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { validateBudget, validateBudgetStatus } from './validation.js';

export const podDisruptionBudget: ResourceDeclaration<shapes.PolicyV1PodDisruptionBudget> = {
  group: 'policy',
  resource: 'poddisruptionbudgets',
  singular: 'poddisruptionbudget',
  kind: 'PodDisruptionBudget',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['pdb'],
  strategy: withStatus({
    compatibility: { anyFinalizers: true },
    create: {
      validateName: pathSegmentName,
      validate: (o, errors) => validateBudget(o, errors),
      metaLast: true,
    },
    update: { allowUnconditional: false, validate: (o, old, errors) => validateBudget(o, errors, old) },
  }),
  subresources: { status: statusSubresource({ update: { validate: validateBudgetStatus } }) },
  table: table(
    [
      column('Min Available', 'Pods that must stay, as a number or share.'),
      column('Max Unavailable', 'Pods that may be missing, as a number or share.'),
      column('Allowed Disruptions', 'Pods that may be evicted now.', { type: 'integer' }),
      AGE,
    ],
    (o, now) => [
      String(at(o, 'spec', 'minAvailable') ?? 'N/A'),
      String(at(o, 'spec', 'maxUnavailable') ?? 'N/A'),
      numberAt(o, 'status', 'disruptionsAllowed'),
      age(o, now),
    ],
  ),
};
