import { type JsonObject, listAt, objectsAt, textAt } from '../../api/index.js';

/** CertificateSigningRequests as the controllers of Kubernetes' own signers read them. */

export const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';

export const KUBELET_SERVING = 'kubernetes.io/kubelet-serving';
export const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
export const API_CLIENT = 'kubernetes.io/kube-apiserver-client';
export const LEGACY = 'kubernetes.io/legacy-unknown';

/** The content of the request itself (RFC 2986). */
export interface RequestedIdentity {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: number;
  readonly addresses: number;
  readonly emails: number;
  readonly uris: number;
}

export interface SigningTerms {
  /** As in `spec.usages`. */
  readonly usages: readonly string[];
  /** Milliseconds. */
  readonly duration: number;
}

/** Reads requests and signs certificates. Requests and certificates are PEM. */
export interface CertificateAuthority {
  /** Throws if the request cannot be read. */
  read(request: string): Promise<RequestedIdentity>;
  /** Throws if the signature of the request is wrong, or the authority has expired. */
  sign(signer: string, request: string, terms: SigningTerms): Promise<string>;
}

export const requestOf = (o: JsonObject): string => Buffer.from(textAt(o, 'spec', 'request'), 'base64').toString();

export const usagesOf = (o: JsonObject): readonly string[] => listAt(o, 'spec', 'usages').map(String);

export const hasCondition = (o: JsonObject, type: string): boolean =>
  objectsAt(o, 'status', 'conditions').some((c) => textAt(c, 'type') === type && textAt(c, 'status') !== 'False');

/** Returns why a signer refuses a request, with the message of kube-controller-manager; undefined if it does not. */
export function refusalOf(signer: string, identity: RequestedIdentity, usages: readonly string[]): string | undefined {
  switch (signer) {
    case KUBELET_SERVING:
      return servingRefusal(identity, usages);
    case KUBELET_CLIENT:
      return clientRefusal(identity, usages);
    case API_CLIENT:
      return apiClientRefusal(usages);
    default:
      return undefined;
  }
}

const areNodes = ({ organizations }: RequestedIdentity): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes';

const NOT_NODES = 'subject organization is not system:nodes';
const NOT_A_NODE = 'subject common name does not begin with system:node:';

function servingRefusal(identity: RequestedIdentity, usages: readonly string[]): string | undefined {
  if (!areNodes(identity)) return NOT_NODES;
  if (identity.dnsNames + identity.addresses === 0) return 'DNS or IP subjectAltName is required';
  if (identity.emails > 0) return 'Email subjectAltNames are not allowed';
  if (identity.uris > 0) return 'URI subjectAltNames are not allowed';
  if (!areUsages(usages, 'server auth')) return 'usages did not match [digital signature key encipherment server auth]';
  return identity.commonName.startsWith('system:node:') ? undefined : NOT_A_NODE;
}

function clientRefusal(identity: RequestedIdentity, usages: readonly string[]): string | undefined {
  if (!areNodes(identity)) return NOT_NODES;
  if (identity.dnsNames > 0) return 'DNS subjectAltNames are not allowed';
  if (identity.emails > 0) return 'Email subjectAltNames are not allowed';
  if (identity.addresses > 0) return 'IP subjectAltNames are not allowed';
  if (identity.uris > 0) return 'URI subjectAltNames are not allowed';
  if (!identity.commonName.startsWith('system:node:')) return NOT_A_NODE;
  return areUsages(usages, 'client auth')
    ? undefined
    : 'usages did not match [client auth digital signature key encipherment]';
}

function apiClientRefusal(usages: readonly string[]): string | undefined {
  const allowed = ['digital signature', 'key encipherment', 'client auth'];
  const wrong = usages.find((usage) => !allowed.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

/** Reports whether the usages are the digital signature, this one, and for RSA keys the encipherment of keys. */
function areUsages(usages: readonly string[], purpose: string): boolean {
  const given = new Set(usages);
  given.delete('key encipherment');
  return given.size === 2 && given.has('digital signature') && given.has(purpose);
}
