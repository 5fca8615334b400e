import {
  equalJson,
  type FieldErrors,
  FieldPath,
  type JsonObject,
  publicKeyOf,
  type Shaped,
  subdomainName,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, numberAt, objectAt, textAt } from '../access.js';
import { sentences, shown } from '../rules.js';
import { POD_CERTIFICATE_SECONDS_MIN, podCertificateSecondsMax, signerName, userAnnotations } from './names.js';
import { keyProblem, provesPossession, stubRequestOf } from './publickeys.js';

export type PodRequest = Shaped<shapes.CertificatesV1beta1PodCertificateRequest>;

const SPEC = FieldPath.in<shapes.CertificatesV1beta1PodCertificateRequest>().child('spec');
const KEY_BYTES_MAX = 10 * 1024;
const UID_BYTES_MAX = 128;

/** Reports an invalid value without printing it. */
export function invalidUnshown(path: FieldPath, detail: string, errors: FieldErrors): void {
  errors.add('FieldValueInvalid', path, `Invalid value: ${detail}`);
}

const bytesAt = (o: PodRequest, field: 'pkixPublicKey' | 'proofOfPossession' | 'stubPKCS10Request'): Buffer =>
  Buffer.from(textAt(o, 'spec', field), 'base64');

/** The rules of a new request. Keys are checked last, and only their first problem is reported. */
export function validatePodRequest(o: PodRequest, errors: FieldErrors): void {
  const signer = textAt(o, 'spec', 'signerName');
  signerName(signer, SPEC.child('signerName'), errors);
  userAnnotations(objectAt(o, 'spec', 'unverifiedUserAnnotations'), SPEC.child('unverifiedUserAnnotations'), errors);
  for (const [name, uid] of [
    ['podName', 'podUID'],
    ['serviceAccountName', 'serviceAccountUID'],
    ['nodeName', 'nodeUID'],
  ] as const) {
    sentences(textAt(o, 'spec', name), (v) => subdomainName(v, false), SPEC.child(name), errors);
    const id = textAt(o, 'spec', uid);
    if (id === '') errors.invalid(SPEC.child(uid), id, 'must not be empty');
    if (Buffer.byteLength(id) > UID_BYTES_MAX) errors.tooLong(SPEC.child(uid), UID_BYTES_MAX);
  }
  const lifetime = SPEC.child('maxExpirationSeconds');
  if (at(o, 'spec', 'maxExpirationSeconds') === undefined) {
    errors.required(lifetime, 'must be set');
    return;
  }
  const seconds = numberAt(o, 'spec', 'maxExpirationSeconds');
  const max = podCertificateSecondsMax(signer);
  if (seconds < POD_CERTIFICATE_SECONDS_MIN || seconds > max)
    errors.invalid(lifetime, seconds, `must be in the range [${POD_CERTIFICATE_SECONDS_MIN}, ${max}]`);
  const [stub, key, proof] = [
    bytesAt(o, 'stubPKCS10Request'),
    bytesAt(o, 'pkixPublicKey'),
    bytesAt(o, 'proofOfPossession'),
  ];
  if (stub.length > 0 && key.length === 0 && proof.length === 0) validateStub(stub, errors);
  else if (stub.length === 0 && key.length > 0 && proof.length > 0) validateKey(o, key, proof, errors);
  else
    invalidUnshown(
      SPEC,
      'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set',
      errors,
    );
}

const RSA_RULE = 'RSA keys must have modulus size 3072 or 4096';
const TYPE_RULE = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA';

function validateStub(bytes: Buffer, errors: FieldErrors): void {
  const path = SPEC.child('stubPKCS10Request');
  if (bytes.length > KEY_BYTES_MAX) {
    errors.tooLong(path, KEY_BYTES_MAX);
    return;
  }
  const request = stubRequestOf(bytes);
  if (request === undefined) {
    invalidUnshown(path, 'must be a valid PKCS#10 CSR', errors);
    return;
  }
  const problem = keyProblem(request.key);
  if (problem?.kind === 'curve')
    errors.invalid(path, problem.value, 'elliptic public keys must use curve P256, P384, or P521');
  else if (problem?.kind === 'modulus') errors.invalid(path, problem.value, RSA_RULE);
  else if (problem !== undefined) invalidUnshown(path, TYPE_RULE, errors);
  else if (!request.isSigned) invalidUnshown(path, 'invalid signature', errors);
}

/** The older form: a key, and the uid of the pod signed with it. */
function validateKey(o: PodRequest, key: Buffer, proof: Buffer, errors: FieldErrors): void {
  const [path, proofPath] = [SPEC.child('pkixPublicKey'), SPEC.child('proofOfPossession')];
  if (key.length > KEY_BYTES_MAX || proof.length > KEY_BYTES_MAX) {
    errors.tooLong(key.length > KEY_BYTES_MAX ? path : proofPath, KEY_BYTES_MAX);
    return;
  }
  const publicKey = publicKeyOf(key);
  if (publicKey === undefined) {
    errors.invalid(path, textAt(o, 'spec', 'pkixPublicKey'), 'must be a valid PKIX-serialized public key');
    return;
  }
  const problem = keyProblem(publicKey);
  if (problem?.kind === 'curve')
    errors.invalid(path, problem.value, 'elliptic public keys must use curve P256 or P384');
  else if (problem?.kind === 'modulus') errors.invalid(path, problem.value, RSA_RULE);
  else if (problem !== undefined) errors.invalid(path, textAt(o, 'spec', 'pkixPublicKey'), TYPE_RULE);
  else if (!provesPossession(publicKey, textAt(o, 'spec', 'podUID'), proof))
    invalidUnshown(proofPath, 'could not verify proof-of-possession signature', errors);
}

const BYTES = ['pkixPublicKey', 'proofOfPossession', 'stubPKCS10Request'] as const;

/** The spec without its empty bytes: kube-apiserver compares absent and empty ones as equal. */
function compared(o: PodRequest): JsonObject {
  const spec: JsonObject = { ...objectAt(o, 'spec') };
  for (const field of BYTES) if ((spec[field] ?? '') === '') delete spec[field];
  return spec;
}

/** Nothing in the spec may change. */
export function validatePodRequestUpdate(o: PodRequest, old: PodRequest, errors: FieldErrors): void {
  const spec = objectAt(o, 'spec');
  if (!equalJson(compared(o), compared(old)))
    errors.invalid(SPEC, shown('certificates/v1beta1.PodCertificateRequestSpec', spec), 'field is immutable');
}
