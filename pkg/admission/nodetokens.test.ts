import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../api/index.js';
import type { NodeCall } from './noderestriction.js';
import { checkPodCertificate } from './nodetokens.js';

const meta = (name: string): JsonObject => ({ metadata: { name, uid: `${name}-uid` } });
const SIGNER = 'example.com/s';
const volume = { projected: { sources: [{ podCertificate: { signerName: SIGNER } }, { downwardAPI: {} }] } };
const STORED: Readonly<Record<string, JsonObject>> = {
  'nodes//n': meta('n'),
  'pods/ns/p': { ...meta('p'), spec: { nodeName: 'n', serviceAccountName: 'a', volumes: [volume] } },
  'pods/ns/elsewhere': { ...meta('elsewhere'), spec: { nodeName: 'm', serviceAccountName: 'a', volumes: [volume] } },
  'serviceaccounts/ns/a': meta('a'),
};
const SPEC = {
  signerName: SIGNER,
  ...{ nodeName: 'n', nodeUID: 'n-uid' },
  ...{ podName: 'p', podUID: 'p-uid' },
  ...{ serviceAccountName: 'a', serviceAccountUID: 'a-uid' },
};

/** Plays the request of node `n`; `without` is missing in the store. Returns the error. */
async function refusal(spec: object, without = ''): Promise<string> {
  const call = {
    node: 'n',
    request: {
      user: { name: 'system:node:n', groups: [] },
      operation: 'create',
      requested: { resource: { group: 'certificates.k8s.io', version: 'v1' } },
      subresource: '',
      namespace: 'ns',
      object: { spec: { ...SPEC, ...spec } },
    },
    objects: {
      get: async ({ resource }: { readonly resource: string }, namespace: string, name: string) => {
        const key = `${resource}/${namespace}/${name}`;
        return key === without ? undefined : STORED[key];
      },
    },
    authorize: async () => ({ allowed: false }),
    enabled: () => true,
    refuse: (why: string) => new ApiError(403, 'Forbidden', why),
  };
  return checkPodCertificate(call as unknown as NodeCall).then(
    () => 'allowed',
    (e: ApiError) => `${e.status.code} ${e.message}`,
  );
}

describe("a node's request for the certificate of a pod", () => {
  it('is allowed for a pod of the node that mounts a certificate of the signer', async () => {
    expect(await refusal({})).toBe('allowed');
    expect(await refusal({ nodeName: 'm' })).toMatch(/^403 .* which is not the requesting node "n"$/);
    expect(await refusal({ podName: 'elsewhere', podUID: 'elsewhere-uid' })).toMatch(/^403 .* not running on node "n"/);
    for (const signerName of ['example.com/t', ''])
      expect(await refusal({ signerName })).toMatch(/^403 .* does not mount/);
  });

  const FOR = 'PodCertificateRequest for pod "ns/p"';
  const NAMED = 'named in the PodCertificateRequest';
  it.each([
    [{ nodeUID: 'x' }, '', `${FOR} names node UID "x", inconsistent with the running node ("n-uid")`],
    [{ podUID: 'x' }, '', `${FOR} contains pod UID ("x") which differs from running pod "p-uid"`],
    [
      { serviceAccountUID: 'x' },
      '',
      `${FOR} names service account UID "x", which differs from the running service account ("a-uid")`,
    ],
    [{}, 'nodes//n', `while retrieving node "n" ${NAMED}: node "n" not found`],
    [{}, 'pods/ns/p', `while retrieving pod "ns/p" ${NAMED}: pod "p" not found`],
    [{}, 'serviceaccounts/ns/a', `while retrieving service account "ns/a" ${NAMED}: serviceaccount "a" not found`],
  ])('has the error of kube-apiserver with %j, without "%s"', async (spec, without, message) => {
    expect(await refusal(spec, without)).toBe(`500 ${message}`);
  });
});
