import {
  type AdmissionStep,
  type CertificateRequestParts,
  certificateRequestIn,
  type JsonObject,
  namesOf,
  ORGANIZATION,
  textAt,
} from '../api/index.js';
import { forbidden, isAbout } from './step.js';

/** Rejects certificate requests for members of `system:masters`. */
export const certificateSubjectStep: AdmissionStep = {
  name: 'CertificateSubjectRestriction',
  validate: (request) => {
    if (request.operation !== 'create' || !isAbout(request, 'certificates.k8s.io', 'certificatesigningrequests'))
      return;
    const { object } = request;
    if (textAt(object, 'spec', 'signerName') !== CLIENT_SIGNER) return;
    const read = requestIn(object);
    const organizations = typeof read === 'string' ? undefined : namesOf(read.subject, ORGANIZATION);
    if (organizations === undefined)
      throw forbidden(request, `failed to parse CSR: ${typeof read === 'string' ? read : 'malformed subject'}`);
    if (!organizations.includes('system:masters')) return;
    throw forbidden(request, `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`);
  },
};

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

/** Returns the certificate request in a CertificateSigningRequest, or why it is none. */
export const requestIn = (object: JsonObject | undefined): CertificateRequestParts | string =>
  certificateRequestIn(Buffer.from(textAt(object, 'spec', 'request'), 'base64').toString('latin1'));
