import { type AdmissionStep, errors, type JsonObject, textAt } from '../api/index.js';
import { forbidden, isAbout } from './step.js';

/** Rejects certificate requests for members of `system:masters`. */
export const certificateSubjectStep: AdmissionStep = {
  name: 'CertificateSubjectRestriction',
  validate: (request) => {
    if (request.operation !== 'create' || !isAbout(request, 'certificates.k8s.io', 'certificatesigningrequests'))
      return;
    const { object } = request;
    if (textAt(object, 'spec', 'signerName') !== CLIENT_SIGNER) return;
    if (!organisations(object).includes('system:masters')) return;
    throw forbidden(request, `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`);
  },
};

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

/** DER of the object identifiers 2.5.4.10 and 2.5.4.3, organizationName and commonName. */
const ORGANISATION = Buffer.from([0x06, 0x03, 0x55, 0x04, 0x0a]);
const COMMON_NAME = Buffer.from([0x06, 0x03, 0x55, 0x04, 0x03]);

const organisations = (request: JsonObject | undefined): readonly string[] => attributes(request, ORGANISATION);

/** The common names in the PEM certificate request of a CertificateSigningRequest. */
export const commonNames = (request: JsonObject | undefined): readonly string[] => attributes(request, COMMON_NAME);

/** Attributes of one kind in a request. Each costs a search; certificates have a few. */
const ATTRIBUTES_MAX = 1_000;

/** The values of an attribute in a PEM certificate request. Each is a short string that follows its object identifier. */
function attributes(request: JsonObject | undefined, identifier: Buffer): readonly string[] {
  const pem = Buffer.from(textAt(request, 'spec', 'request'), 'base64').toString('latin1');
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]+)-----END/.exec(pem)?.[1];
  if (body === undefined) return [];
  const der = Buffer.from(body, 'base64');
  const found: string[] = [];
  for (let i = der.indexOf(identifier); i >= 0; i = der.indexOf(identifier, i + 1)) {
    if (found.length === ATTRIBUTES_MAX)
      throw errors.badRequest(`the certificate request names one attribute more than ${ATTRIBUTES_MAX} times`);
    const length = der[i + identifier.length + 1] ?? 0;
    const from = i + identifier.length + 2;
    found.push(textOf(der[i + identifier.length]!, der.subarray(from, from + length)));
  }
  return found;
}

const UNIVERSAL_STRING = 0x1c;
const BMP_STRING = 0x1e;

/** A name may be encoded in two or four bytes per character. */
function textOf(tag: number, bytes: Buffer): string {
  const width = tag === BMP_STRING ? 2 : tag === UNIVERSAL_STRING ? 4 : 1;
  if (width === 1) return bytes.toString();
  let text = '';
  for (let i = width; i <= bytes.length; i += width) text += String.fromCharCode(bytes.readUInt16BE(i - 2));
  return text;
}
