import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { listAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { defaultWebhooks, validateNewWebhooks, validateWebhooks, webhooksDiffer, webhookWarnings } from './webhooks.js';

export const validatingWebhookConfiguration: ResourceDeclaration<shapes.AdmissionregistrationV1ValidatingWebhookConfiguration> =
  {
    group: 'admissionregistration.k8s.io',
    resource: 'validatingwebhookconfigurations',
    singular: 'validatingwebhookconfiguration',
    kind: 'ValidatingWebhookConfiguration',
    versions: versions('v1'),
    storageVersion: 'v1',
    namespaced: false,
    categories: ['api-extensions'],
    strategy: {
      defaults: defaultWebhooks,
      create: { validate: validateNewWebhooks },
      update: {
        allowUnconditional: false,
        generation: webhooksDiffer,
        validate: (o, old, errors) => validateWebhooks(o, errors, old),
      },
      warn: webhookWarnings,
      compatibility: { anyFinalizers: true, checksUpdateLikeNew: true },
    },
    table: table([column('Webhooks', 'Number of webhooks.', { type: 'integer' }), AGE], (o, now) => [
      listAt(o, 'webhooks').length,
      age(o, now),
    ]),
  };
