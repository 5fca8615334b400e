import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { versions } from '../form.js';
import { column, table } from '../table.js';

export const clusterTrustBundle: ResourceDeclaration<shapes.CertificatesV1ClusterTrustBundle> = {
  group: 'certificates.k8s.io',
  resource: 'clustertrustbundles',
  singular: 'clustertrustbundle',
  kind: 'ClusterTrustBundle',
  versions: versions('v1', 'v1beta1'),
  storageVersion: 'v1beta1',
  namespaced: false,
  strategy: { update: { allowUnconditional: false, generation: 'none' } },
  selectableFields: { 'spec.signerName': (o) => textAt(o, 'spec', 'signerName') },
  table: table([column('SignerName', 'The signer whose roots these are.')], (o) => [
    textAt(o, 'spec', 'signerName') || '<none>',
  ]),
};
