import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { at, objectAt, objectsAt, textAt } from '../access.js';
import { keep, labelsText, statusAlone, versions, withStatus } from '../form.js';
import { column, table } from '../table.js';
import { type PodRequest, validatePodRequest, validatePodRequestUpdate } from './podcertificatespec.js';
import { VERDICTS, validatePodRequestStatus } from './podcertificatestatus.js';

export const podCertificateRequest: ResourceDeclaration<shapes.CertificatesV1beta1PodCertificateRequest> = {
  group: 'certificates.k8s.io',
  resource: 'podcertificaterequests',
  singular: 'podcertificaterequest',
  kind: 'PodCertificateRequest',
  versions: versions('v1', 'v1beta1'),
  // v1 removed deprecated fields, so only v1beta1 holds all fields of a request.
  storageVersion: 'v1beta1',
  namespaced: true,
  strategy: withStatus({
    create: { validate: validatePodRequest },
    update: {
      allowUnconditional: false,
      generation: 'none',
      prepare: keepDeprecated,
      validate: validatePodRequestUpdate,
    },
  }),
  subresources: {
    status: statusAlone({
      update: {
        allowUnconditional: false,
        validate: (o, old, errors, context) => validatePodRequestStatus(o, old, context.world.clock.now(), errors),
      },
    }),
  },
  selectsNamespace: false,
  selectableFields: {
    'spec.signerName': (o) => textAt(o, 'spec', 'signerName'),
    'spec.podName': (o) => textAt(o, 'spec', 'podName'),
    'spec.nodeName': (o) => textAt(o, 'spec', 'nodeName'),
  },
  table: table(
    [
      column('PodName', 'The pod that asks.'),
      column('ServiceAccountName', 'Its service account.'),
      column('NodeName', 'Its node.'),
      column('SignerName', 'Who is asked to sign.'),
      column('State', 'Issued, denied, failed or pending.'),
      column('UnverifiedUserAnnotations', 'Annotations that the pod asks for; nobody has checked them.'),
    ],
    (o) => [
      textAt(o, 'spec', 'podName'),
      textAt(o, 'spec', 'serviceAccountName'),
      textAt(o, 'spec', 'nodeName'),
      textAt(o, 'spec', 'signerName'),
      objectsAt(o, 'status', 'conditions')
        .map((c) => textAt(c, 'type'))
        .findLast((t) => VERDICTS.includes(t)) ?? 'Pending',
      labelsText(at(o, 'spec', 'unverifiedUserAnnotations')) || '<none>',
    ],
  ),
};

const DEPRECATED = ['pkixPublicKey', 'proofOfPossession'] as const;

/** v1 does not have these fields, so an update in v1 keeps them. */
function keepDeprecated(o: PodRequest, old: PodRequest, { version }: WriteContext): void {
  if (version !== 'v1') return;
  const [spec, before] = [objectAt(o, 'spec'), objectAt(old, 'spec')];
  for (const field of DEPRECATED) if ((spec[field] ?? '') === '') keep(field, spec, before);
}
