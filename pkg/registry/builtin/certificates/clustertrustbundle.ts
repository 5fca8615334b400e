import { X509Certificate } from 'node:crypto';
import { type FieldErrors, FieldPath, pemBlocks, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { versions } from '../form.js';
import { column, table } from '../table.js';
import { signerName, trustBundleName } from './names.js';

type Bundle = Shaped<shapes.CertificatesV1ClusterTrustBundle>;

const SPEC = FieldPath.in<shapes.CertificatesV1ClusterTrustBundle>().child('spec');
const BUNDLE_BYTES_MAX = 1024 * 1024;

export const clusterTrustBundle: ResourceDeclaration<shapes.CertificatesV1ClusterTrustBundle> = {
  group: 'certificates.k8s.io',
  resource: 'clustertrustbundles',
  singular: 'clustertrustbundle',
  kind: 'ClusterTrustBundle',
  versions: versions('v1', 'v1beta1'),
  storageVersion: 'v1beta1',
  namespaced: false,
  strategy: {
    // The name depends on the signer, which an update may try to change.
    compatibility: { checksUpdateLikeNew: 'always' },
    create: {
      validateName: (name, prefix, o) => trustBundleName(textAt(o, 'spec', 'signerName'), name, prefix),
      validate: (o, errors) => validate(o, undefined, errors),
    },
    update: { allowUnconditional: false, generation: 'none', validate },
  },
  selectableFields: { 'spec.signerName': (o) => textAt(o, 'spec', 'signerName') },
  table: table([column('SignerName', 'The signer whose roots these are.')], (o) => [
    textAt(o, 'spec', 'signerName') || '<none>',
  ]),
};

function validate(o: Bundle, old: Bundle | undefined, errors: FieldErrors): void {
  const signer = textAt(o, 'spec', 'signerName');
  if (signer !== '') signerName(signer, SPEC.child('signerName'), errors);
  const bundle = textAt(o, 'spec', 'trustBundle');
  if (old === undefined || bundle !== textAt(old, 'spec', 'trustBundle')) validateBundle(bundle, errors);
  if (old !== undefined && signer !== textAt(old, 'spec', 'signerName'))
    errors.invalid(SPEC.child('signerName'), signer, 'field is immutable');
}

/** A bundle has at least one certificate of an authority, and none twice. */
function validateBundle(bundle: string, errors: FieldErrors): void {
  const path = SPEC.child('trustBundle');
  if (Buffer.byteLength(bundle) > BUNDLE_BYTES_MAX) {
    errors.tooLong(path, BUNDLE_BYTES_MAX);
    return;
  }
  const places = new Map<string, number[]>();
  let hasProblem = false;
  let entry = 0;
  for (const block of pemBlocks(bundle)) {
    const problem =
      block.type === 'CERTIFICATE'
        ? block.hasHeaders
          ? 'has PEM block headers'
          : anchorProblem(block.text)
        : `has bad block type: ${block.type}`;
    if (problem !== undefined) {
      errors.invalid(path, OMITTED, `entry ${entry} ${problem}`);
      hasProblem = true;
    } else {
      const digest = new X509Certificate(block.text).fingerprint256;
      places.set(digest, [...(places.get(digest) ?? []), entry]);
    }
    entry++;
  }
  if (hasProblem) return;
  if (places.size === 0) errors.invalid(path, OMITTED, 'at least one trust anchor must be provided');
  for (const at of places.values())
    if (at.length > 1) errors.invalid(path, OMITTED, `duplicate trust anchor (indices [${at.join(' ')}])`);
}

const OMITTED = '<value omitted>';

function anchorProblem(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).ca ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}
