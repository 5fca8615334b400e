import { describe, expect, it } from 'vitest';
import { FieldErrors, type JsonObject } from '../../../api/index.js';
import { Bench, refusal } from '../../testing.js';
import { podCertificateRequest } from './podcertificaterequest.js';

/** Requests and certificates made with openssl: the leaf and the one with odd names are for the key of `STUB`. */
const STUB =
  'MIG5MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHm5UScv8C4xREvhFVWSOZr+wPJkiJnp0vL7lCVPuABYSjdFCg/ENqodwAz1RYIInNjoDN4ENZLDSiSCLzof+tSgADAKBggqhkjOPQQDAgNHADBEAiBr/rimOWN4PwCq9bKNMmeAGZvOzLMbFSitKCLVjBI0pQIgTgyglqSIGfk0JhvEJIoGMqxYi7C3iI1wEsuPV+KN1po=';
const STUB_ED25519 =
  'MH8wMwIBADAAMCowBQYDK2VwAyEAlPmlZS7PkqD6lcdpBoRTWN6mqX/hobzz7vLqGOWPR/igADAFBgMrZXADQQCJ6qcLw/mEvlHgkV4TF6851PoOtHmNQ0KgbqPIOulMSIN5FAhjLSiKUXDAmlIMfW2x0IG9+d4ide/Styovf60J';
const STUB_P224 =
  'MIGnMFcCAQAwADBOMBAGByqGSM49AgEGBSuBBAAhAzoABMClX9f/pDMhgpFl8DLgIrXe8a+kHBQ9yo7mc9u1kdZCO369MHk8ijDDhc1Rs7ZDQ7RlgAFPWjjuoAAwCgYIKoZIzj0EAwIDQAAwPQIcHXIDMJdG88FNGLlHaHEYogdWdfc+b7kG34qUdAIdAM7pSUH+XDn9VTnuOu2OHDwDnwGZx6UTVOjQH3w=';
const STUB_RSA_2048 =
  'MIICRTCCAS0CAQAwADCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBANma1r7Nkn6Czr9mq1oGsBodW8Uq1ARyU76WU2jHLwPADyGyRAyZl5ZSQ5aiMbXtgGhk7H3ilaE5DKs5RbAdam5uV0V4fALJp0i3Wuejp+J1BHrKz0ZhP74ozc/H0Icksr4CUeqzjW666fQXXrmi1NeKUbvRcQzDAWGqD1rewtfn6Lp7GSgWqc6jk4fV76bAZl82a28AloESeCiMwT52wlf++hCjpfApA8Ogx7ooim8v2ZCQjk8K1nNldz0NW8emSvcg5QcgJiTa9tPtiMErMJyW57YaS27KS8KTQO7YKFPInLzP1T0rqSPuvAUsaUJ1av4sagyHCs2VL1qHkm88ILsCAwEAAaAAMA0GCSqGSIb3DQEBCwUAA4IBAQAssAvyWxJa0heMX2NND2RNo5XvUIGGk8gq68b5RfJ06XuePqDXhIqP0w4YijpecIkCzS2Eyp6Bs3sS/aUBkvybHoimeQSjLRasgGPQYjIBriwRnTH7xppgoBOQkMua+HmKys7UdDRKoAzTi9rRDNJzu2NjEx431LHdkDsr/YPaZO1sXehc6swH2HKr2l3S9iHi0FQAcH4n8ZDXYUcg8mmxrjvdz8hEpsekqc5Vdy8gOWqJ/MXvhiJISPFTsXy/LFbleIhBsPULKGaPdMDRsjY3ryh+dxcq8Slh8ZyQkyD2rfa2ktePO6bZb3LzpDLFNrqFt3IaG1WfBhBLslj/gAQS';
const KEY = 'MCowBQYDK2VwAyEAlPmlZS7PkqD6lcdpBoRTWN6mqX/hobzz7vLqGOWPR/g=';
/** `pod-uid`, signed with the key of `KEY`. */
const PROOF = '6/2uqAAzoEi7rfgCmvnMdLDHQqR5H7HMVp8OQa6B46s9Jyb5L+RhL93dz+g2n2XOqjmZbkPiU6XyvA3WILxkDA==';
const LEAF = `-----BEGIN CERTIFICATE-----
MIIBjjCCATOgAwIBAgIUajwr1PVq29LTA4mbgtVh+CYTWMkwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbGVhZjAeFw0yNjExMjMwMTIwNDRaFw0yNjExMjQwMTIwNDRa
MA8xDTALBgNVBAMMBGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR5uVEn
L/AuMURL4RVVkjma/sDyZIiZ6dLy+5QlT7gAWEo3RQoPxDaqHcAM9UWCCJzY6Aze
BDWSw0okgi86H/rUo20wazAdBgNVHQ4EFgQU8hkescJ7RYlrqaIU+ofEdMD3SzMw
HwYDVR0jBBgwFoAU8hkescJ7RYlrqaIU+ofEdMD3SzMwDwYDVR0TAQH/BAUwAwEB
/zAYBgNVHREEETAPgg1hLmV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0kAMEYCIQCM
rEzxMgc1Cy7pOdiegjS/xZdHnQwe8HyktRIyz2PGQwIhALj6gB70vj3o4j0pfRF3
eSmv7ZaP9HtQZ71LXLFlFqCz
-----END CERTIFICATE-----`;
const OTHER = `-----BEGIN CERTIFICATE-----
MIIBcjCCARmgAwIBAgIUV/qxhOsVmT6uMHQ9u1e8Wmj+lNQwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbGVhZjAeFw0yNjExMjMwMTIwNDRaFw0yNjExMjQwMTIwNDRa
MA8xDTALBgNVBAMMBGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR6dJPm
qeoat3eutOGIsfZWwQKQhfilE5n/Z4U/Cs1jMDSYKctgWnT8YiavW9ckZndeU+Gg
o5dIekAijKNr65pYo1MwUTAdBgNVHQ4EFgQUBSIeZHVbtX3Y+fsCoNEXubHuoLcw
HwYDVR0jBBgwFoAUBSIeZHVbtX3Y+fsCoNEXubHuoLcwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNHADBEAiAP9ddo6tk2q8ZUYTzvL42jImW7wEV0ytcBw1z+
rqXGoAIgcT9s9CKe/dfL8dqQGQrerAaTlUxG4ilj7WVECgeQO0w=
-----END CERTIFICATE-----`;
const ODD_NAMES = `-----BEGIN CERTIFICATE-----
MIIBjjCCATOgAwIBAgIUOIkDZ4yizQ/lWS9HJtrZYhvBXnkwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbGVhZjAeFw0yNjExMjMwMTIwNDRaFw0yNjExMjQwMTIwNDRa
MA8xDTALBgNVBAMMBGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR5uVEn
L/AuMURL4RVVkjma/sDyZIiZ6dLy+5QlT7gAWEo3RQoPxDaqHcAM9UWCCJzY6Aze
BDWSw0okgi86H/rUo20wazAdBgNVHQ4EFgQU8hkescJ7RYlrqaIU+ofEdMD3SzMw
HwYDVR0jBBgwFoAU8hkescJ7RYlrqaIU+ofEdMD3SzMwDwYDVR0TAQH/BAUwAwEB
/zAYBgNVHREEETAPggVhLi5iLoEGbm9ib2R5MAoGCCqGSM49BAMCA0kAMEYCIQCr
AQbNOTHBU2UFyi0OStQFrSKzVmX52r8dAA/gqAFZWgIhAN3wFCw0YXScpnHE/nL7
ip3uziKikP/y3XWIK9zFv/kh
-----END CERTIFICATE-----`;

/** The start of the leaf, and when its renewal and its end are due. */
const TIMES = {
  notBefore: '2026-11-23T01:20:44Z',
  beginRefreshAt: '2026-11-23T21:00:00Z',
  notAfter: '2026-11-24T01:20:44Z',
};
const NOW = Date.parse('2026-11-23T01:22:00Z');

const spec = (changes: JsonObject = {}): JsonObject => ({
  signerName: 'example.com/signer',
  podName: 'p',
  podUID: 'pod-uid',
  serviceAccountName: 'default',
  serviceAccountUID: 'account-uid',
  nodeName: 'n',
  nodeUID: 'node-uid',
  maxExpirationSeconds: 86400,
  stubPKCS10Request: STUB,
  ...changes,
});
const request = (changes: JsonObject = {}, status: JsonObject = {}): JsonObject => ({
  metadata: { name: 'r', namespace: 'default' },
  spec: spec(changes),
  status,
});
const condition = (type: string, status = 'True'): JsonObject => ({
  type,
  status,
  reason: 'Because',
  message: '',
  lastTransitionTime: '2026-11-23T01:20:44Z',
});
const issued = (changes: JsonObject = {}): JsonObject => ({
  conditions: [condition('Issued')],
  certificateChain: LEAF,
  ...TIMES,
  ...changes,
});

function problems(o: JsonObject, old?: JsonObject): readonly string[] {
  const found = new FieldErrors();
  const { create, update } = podCertificateRequest.strategy;
  if (old === undefined) create!.validate!(o as never, found, undefined as never);
  else update!.validate!(o as never, old as never, found, undefined as never);
  return found.list.map((e) => `${e.field}: ${e.message}`);
}

function statusProblems(status: JsonObject, before: JsonObject = {}, changes: JsonObject = {}): readonly string[] {
  const found = new FieldErrors();
  const { behaviour } = podCertificateRequest.subresources!['status']!;
  if (behaviour.kind !== 'status') throw new Error('not a status');
  const context = { world: { clock: { now: () => NOW } } };
  const [o, old] = [request(changes, status), request(changes, before)];
  behaviour.strategy.update!.validate!(o as never, old as never, found, context as never);
  return found.list.map((e) => `${e.field}: ${e.message}`);
}

describe('the spec of a request for the certificate of a pod', () => {
  it.each([
    ['an ECDSA key', {}],
    ['an Ed25519 key', { stubPKCS10Request: STUB_ED25519 }],
    ['the older form', { stubPKCS10Request: '', pkixPublicKey: KEY, proofOfPossession: PROOF }],
    ['91 days', { maxExpirationSeconds: 7862400 }],
  ])('is valid with %s', (_what, changes) => {
    expect(problems(request(changes))).toEqual([]);
  });

  it.each([
    [{ signerName: 'x' }, 'spec.signerName: Invalid value: "x": must be a fully qualified domain'],
    [{ podUID: '' }, 'spec.podUID: Invalid value: "": must not be empty'],
    [{ nodeUID: 'x'.repeat(129) }, 'spec.nodeUID: Too long: may not be more than 128 bytes'],
    [{ nodeName: 'A' }, 'spec.nodeName: Invalid value: "A": a lowercase RFC 1123 subdomain'],
    [
      { maxExpirationSeconds: 3599 },
      'spec.maxExpirationSeconds: Invalid value: 3599: must be in the range [3600, 7862400]',
    ],
    [
      { signerName: 'kubernetes.io/x', maxExpirationSeconds: 86401 },
      'spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]',
    ],
    [
      { unverifiedUserAnnotations: { plain: '' } },
      'spec.unverifiedUserAnnotations: Invalid value: "plain": must be a domain-prefixed key',
    ],
    [
      { pkixPublicKey: KEY },
      'spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set',
    ],
    [{ stubPKCS10Request: 'YQ==' }, 'spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR'],
    [
      { stubPKCS10Request: STUB_P224 },
      'spec.stubPKCS10Request: Invalid value: "curve P-224": elliptic public keys must use curve P256, P384, or P521',
    ],
    [
      { stubPKCS10Request: STUB_RSA_2048 },
      'spec.stubPKCS10Request: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096',
    ],
    [{ stubPKCS10Request: STUB.replace(/.{4}$/, 'NJo=') }, 'spec.stubPKCS10Request: Invalid value: invalid signature'],
    [
      { stubPKCS10Request: '', pkixPublicKey: KEY, proofOfPossession: PROOF, podUID: 'another' },
      'spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature',
    ],
  ])('is invalid: %j', (changes, expected) => {
    const found = problems(request(changes as JsonObject));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });

  it('does not change', () => {
    expect(problems(request(), request())).toEqual([]);
    const found = problems(request({ podName: 'q' }), request());
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^spec: Invalid value: .*: field is immutable$/);
  });
});

describe('the status of a request for the certificate of a pod', () => {
  it.each([
    ['issues', issued()],
    ['issues a chain', issued({ certificateChain: `${LEAF}\n${OTHER}` })],
    ['denies', { conditions: [condition('Denied')] }],
    ['fails', { conditions: [condition('Failed')] }],
    ['says nothing yet', {}],
  ])('%s', (_what, status) => {
    expect(statusProblems(status)).toEqual([]);
  });

  it.each([
    [{ conditions: [condition('Odd')] }, 'status.conditions.[0].type: Unsupported value: "Odd"'],
    [
      { conditions: [condition('Denied', 'False')] },
      'status.conditions.[0].status: Unsupported value: "False": supported values: "True"',
    ],
    [
      { conditions: [condition('Denied'), condition('Failed')] },
      'status.conditions.[1].type: Invalid value: "Failed": There may be at most one',
    ],
    [{ certificateChain: LEAF }, 'status: Invalid value: status is immutable unless transitioning'],
    [
      { conditions: [condition('Denied')], ...TIMES },
      'status: Invalid value: non-condition status fields must be empty',
    ],
    [issued({ certificateChain: '' }), 'issued certificate chain must contain at least one certificate'],
    [issued({ certificateChain: OTHER }), 'leaf certificate was not issued to the requested public key'],
    [
      issued({ certificateChain: LEAF.replaceAll('CERTIFICATE', 'X') }),
      'must consist entirely of CERTIFICATE PEM blocks',
    ],
    [
      issued({ certificateChain: `${LEAF}\n-----BEGIN X-----\nYQ==\n-----END X-----` }),
      'must consist entirely of CERTFICATE PEM blocks',
    ],
    [
      issued({ notBefore: '2026-11-23T01:20:45Z' }),
      'status.notBefore: Invalid value: "2026-11-23T01:20:45Z": must be set to the NotBefore time',
    ],
    [issued({ notAfter: '2026-11-24T01:20:45Z' }), 'must be set to the NotAfter time encoded'],
    [issued({ beginRefreshAt: '2026-11-23T01:30:00Z' }), 'must be at least 10 minutes after status.notBefore'],
    [issued({ beginRefreshAt: '2026-11-24T01:12:00Z' }), 'must be at least 10 minutes before status.notAfter'],
    [
      {
        conditions: [condition('Issued')],
        certificateChain: LEAF,
        notBefore: TIMES.notBefore,
        notAfter: TIMES.notAfter,
      },
      'status.beginRefreshAt: Required value: must be present and in the range',
    ],
  ])('is invalid (%#)', (status, expected) => {
    const found = statusProblems(status as JsonObject);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });

  it('is bounded by the lifetime that the spec asks for', () => {
    expect(statusProblems(issued(), {}, { maxExpirationSeconds: 3600 })).toEqual([
      'status.certificateChain: Invalid value: 86400000000000: leaf certificate lifetime must be <= spec.maxExpirationSeconds (3600)',
    ]);
  });

  it('has no names that verifiers may misread', () => {
    expect(statusProblems(issued({ certificateChain: ODD_NAMES })).slice(0, 3)).toEqual([
      `status.certificateChain: Invalid value: "a..b.": leaf certificate's DNSName should not contain '..'`,
      `status.certificateChain: Invalid value: "a..b.": leaf certificate's DNSName should not start or end with '.'`,
      'status.certificateChain: Invalid value: "nobody": leaf certificate should not contain invalid EmailAddress',
    ]);
  });

  it.each(['Issued', 'Denied', 'Failed'])('does not change after %s', (type) => {
    const before = type === 'Issued' ? issued() : { conditions: [condition(type)] };
    expect(statusProblems(before, before)).toEqual([]);
    expect(statusProblems({ conditions: [condition('Denied')], notBefore: TIMES.notBefore }, before)).toEqual([
      'status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed',
    ]);
  });
});

describe('an update', () => {
  const spec = { signerName: 'a.io/b', stubPKCS10Request: '', pkixPublicKey: KEY, proofOfPossession: PROOF };
  const { update } = podCertificateRequest.strategy;
  const prepared = (version: string): JsonObject => {
    const o = { spec: { signerName: 'a.io/b' } };
    update!.prepare!(o as never, { spec } as never, { version } as never);
    return o.spec;
  };

  it('compares absent and empty bytes as equal', () => {
    expect(problems({ spec: { ...spec, stubPKCS10Request: null } }, { spec })).toEqual([]);
    expect(problems({ spec: { ...spec, pkixPublicKey: '' } }, { spec })).toHaveLength(1);
  });

  it('in v1 keeps the fields that v1 does not have', () => {
    expect(prepared('v1')).toMatchObject({ pkixPublicKey: KEY, proofOfPossession: PROOF });
    expect(prepared('v1beta1')).toEqual({ signerName: 'a.io/b' });
  });
});

it('has no selector for its namespace', async () => {
  const b = await Bench.open();
  const list = b.list('podcertificaterequests.certificates.k8s.io/v1', 'default', {
    fieldSelector: 'metadata.namespace=default',
  });
  expect(await refusal(list)).toBe('400 field label not supported: metadata.namespace');
});
