import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  cloneJson,
  equalJson,
  errors,
  FieldErrors,
  FieldPath,
  type JsonObject,
  objectIn,
  type RequestAttributes,
  textAt,
  type UserInfo,
} from '../api/index.js';
import type { AuthorizeCheck } from './policy/checks.js';
import { forbidden } from './step.js';

/** Approving, signing and attesting for a signer need permissions on the virtual resource `signers`. */

const GROUP = 'certificates.k8s.io';

const isCsr = ({ groupResource }: AdmissionRequest): boolean =>
  groupResource.group === GROUP && groupResource.resource === 'certificatesigningrequests';

/** A change of `certificatesigningrequests/approval` needs the permission to `approve` for its signer. */
export function certificateApprovalStep(authorize: AuthorizeCheck): AdmissionStep {
  return {
    name: 'CertificateApproval',
    concerns: (request) => request.operation === 'update' && request.subresource === 'approval' && isCsr(request),
    validate: async (request) => {
      const signer = textAt(request.old, 'spec', 'signerName');
      if (!(await mayUse(authorize, request.user, 'approve', signer)))
        throw forbidden(request, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
    },
  };
}

/**
 * A change of the certificate or the conditions in `certificatesigningrequests/status` needs the permission to `sign`
 * for its signer.
 */
export function certificateSigningStep(authorize: AuthorizeCheck): AdmissionStep {
  return {
    name: 'CertificateSigning',
    concerns: (request) => request.operation === 'update' && request.subresource === 'status' && isCsr(request),
    validate: async (request) => {
      const { old, object } = request;
      const same = (field: string): boolean =>
        equalJson(at(old, 'status', field) ?? null, at(object, 'status', field) ?? null);
      if (same('certificate') && same('conditions')) return;
      const signer = textAt(old, 'spec', 'signerName');
      if (!(await mayUse(authorize, request.user, 'sign', signer)))
        throw forbidden(request, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
    },
  };
}

/**
 * A change of the status of a request for a pod's certificate needs the permission to `sign` for its signer. kube-apiserver checks
 * this in the rules of the kind: no flag turns it off, and the answer is that of an invalid object.
 */
export function podCertificateSigningStep(authorize: AuthorizeCheck): AdmissionStep {
  return {
    name: 'PodCertificateSigning',
    concerns: ({ operation, subresource, groupResource: { group, resource } }) =>
      operation === 'update' && subresource === 'status' && group === GROUP && resource === 'podcertificaterequests',
    validate: async (request) => {
      const { user, object, old } = request;
      if (equalJson(at(old, 'status') ?? {}, at(object, 'status') ?? {})) return;
      const signer = textAt(old, 'spec', 'signerName');
      if (await mayUse(authorize, user, 'sign', signer)) return;
      const found = new FieldErrors().forbidden(
        FieldPath.of('spec', 'signerName'),
        `User ${JSON.stringify(user.name)} is not permitted to "sign" for signer ${JSON.stringify(signer)}`,
      );
      throw errors.invalid({ group: GROUP, kind: 'PodCertificateRequest' }, request.name, found.list);
    },
  };
}

/** A bundle of a signer needs the permission to `attest` for it, unless only its owners and finalizers change. */
export function trustBundleStep(authorize: AuthorizeCheck, enabled: boolean): AdmissionStep {
  return {
    name: 'ClusterTrustBundleAttest',
    concerns: ({ operation, groupResource: { group, resource } }) =>
      enabled &&
      (operation === 'create' || operation === 'update') &&
      group === GROUP &&
      resource === 'clustertrustbundles',
    validate: async (request) => {
      const { object, old } = request;
      const signer = textAt(object, 'spec', 'signerName');
      if (signer === '' || (old !== undefined && object !== undefined && onlyCollected(object, old))) return;
      if (!(await mayUse(authorize, request.user, 'attest', signer)))
        throw forbidden(request, `user not permitted to attest for signerName ${JSON.stringify(signer)}`);
    },
  };
}

/** Reports whether nothing differs except owners, finalizers and managed fields. */
function onlyCollected(a: JsonObject, b: JsonObject): boolean {
  const bare = (o: JsonObject): JsonObject => {
    const copy = cloneJson(o) as JsonObject;
    const meta = objectIn(copy, 'metadata');
    for (const field of ['ownerReferences', 'finalizers', 'managedFields', 'resourceVersion']) delete meta[field];
    return copy;
  };
  return equalJson(bare(a), bare(b));
}

/** A permission for the signer itself, or for its whole domain: `example.com/*`. */
async function mayUse(authorize: AuthorizeCheck, user: UserInfo, verb: string, signer: string): Promise<boolean> {
  const may = async (name: string): Promise<boolean> => {
    const attributes: RequestAttributes = {
      kind: 'resource',
      verb,
      group: GROUP,
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    };
    return (await authorize(user, attributes)).allowed;
  };
  return (await may(signer)) || may(`${signer.split('/', 1)[0]!}/*`);
}
