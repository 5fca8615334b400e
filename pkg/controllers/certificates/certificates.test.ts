import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { refusal } from '../../registry/testing.js';
import { conditionsIn, EMPTY_REQUEST, openScene } from '../testing/scene.js';
import { approvingController } from './approving.js';
import { cleanerController } from './cleaner.js';
import {
  API_CLIENT,
  type CertificateAuthority,
  KUBELET_CLIENT,
  KUBELET_SERVING,
  LEGACY,
  type RequestedIdentity,
  refusalOf,
} from './requests.js';
import { signingController } from './signing.js';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io/v1';
const HOUR = 3600;

const node: RequestedIdentity = {
  commonName: 'system:node:a',
  organizations: ['system:nodes'],
  dnsNames: 0,
  addresses: 0,
  emails: 0,
  uris: 0,
};
const CLIENT = ['digital signature', 'client auth'];
/** Any certificate, because validation rejects a text that is not a certificate. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBcDCCARWgAwIBAgIUX+D/Ibe4MkvMv0JIKoZfdogTnX8wCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBbjAgFw0yNjExMjIyMzIwMTBaGA8yMTI2MTAyOTIzMjAxMFow
DDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKMVDI9ugAu2
4nFB5g/RH8lN31Cpvn1HJhnwfy+PZINp+1BZi+vXhrslwrUPMC0bQ7UdWsvEE8x8
UTjKAC7TG/yjUzBRMB0GA1UdDgQWBBT1Lon+BA1bwGb/BlUFLy5yrft/VjAfBgNV
HSMEGDAWgBT1Lon+BA1bwGb/BlUFLy5yrft/VjAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0kAMEYCIQDNPF+G2o2Mgg782J3+ehhSxS/3yEYEuHh0Xeyt1384
9QIhAP4Ov7wtYIcq+4Bkw4CB9DZR+MskGr0IzJksjqpi0HpO
-----END CERTIFICATE-----
`;

const SERVER = ['digital signature', 'key encipherment', 'server auth'];

const request = (name: string, signerName: string, usages: readonly string[], more: JsonObject = {}): JsonObject => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: { signerName, usages: [...usages], request: EMPTY_REQUEST, ...more },
});

describe('Kubernetes signers', () => {
  it.each<[string, Partial<RequestedIdentity>, readonly string[], string | undefined]>([
    [KUBELET_CLIENT, {}, CLIENT, undefined],
    [KUBELET_CLIENT, {}, [...CLIENT, 'key encipherment'], undefined],
    [KUBELET_CLIENT, { organizations: ['system:masters'] }, CLIENT, 'subject organization is not system:nodes'],
    [KUBELET_CLIENT, { commonName: 'a' }, CLIENT, 'subject common name does not begin with system:node:'],
    [KUBELET_CLIENT, { dnsNames: 1 }, CLIENT, 'DNS subjectAltNames are not allowed'],
    [KUBELET_CLIENT, {}, SERVER, 'usages did not match [client auth digital signature key encipherment]'],
    [KUBELET_SERVING, { addresses: 1 }, SERVER, undefined],
    [KUBELET_SERVING, {}, SERVER, 'DNS or IP subjectAltName is required'],
    [KUBELET_SERVING, { dnsNames: 1, uris: 1 }, SERVER, 'URI subjectAltNames are not allowed'],
    [API_CLIENT, { organizations: [] }, CLIENT, undefined],
    [API_CLIENT, {}, SERVER, 'invalid usage for client certificate: server auth'],
    [API_CLIENT, {}, ['digital signature'], 'missing required usage for client certificate: client auth'],
    [LEGACY, { organizations: [] }, ['any'], undefined],
  ])('%s with %j and %j: %s', (signer, identity, usages, expected) => {
    expect(refusalOf(signer, { ...node, ...identity }, usages)).toBe(expected);
  });
});

describe('the controllers of certificate requests', () => {
  async function scene(identity: RequestedIdentity, allowed: readonly string[] = []) {
    const opened = await openScene();
    const { context, start } = opened;
    const signed: number[] = [];
    const authority: CertificateAuthority = {
      read: () => Promise.resolve(identity),
      sign: (_signer, _request, { duration }) => {
        signed.push(duration / 1000);
        return Promise.resolve(CERTIFICATE);
      },
    };
    const mayCreate = (_: unknown, subresource: string) => Promise.resolve(allowed.includes(subresource));
    await start(signingController(context, { authority, duration: 24 * HOUR * 1000 }));
    await start(approvingController(context, { authority, mayCreate }));
    await start(cleanerController(context, { expiryOf: () => undefined }));
    return { ...opened, signed };
  }

  it('approve and sign the requests that a kubelet may make', async () => {
    const { bench, work, signed } = await scene(node, ['nodeclient']);
    await bench.create(REQUESTS, '', request('r', KUBELET_CLIENT, CLIENT, { expirationSeconds: 700 }));
    await work();
    const made = await bench.get(REQUESTS, '', 'r');
    expect(conditionsIn(made)).toEqual({ Approved: 'True' });
    expect((made['status'] as JsonObject)['certificate']).toMatch(/^LS0t/);
    expect(signed).toEqual([700]);
  });

  it('leave other requests to other approvers, and fail requests that their signer does not sign', async () => {
    const { bench, work, signed } = await scene(node);
    await bench.create(REQUESTS, '', request('kubelet', KUBELET_CLIENT, CLIENT));
    await bench.create(REQUESTS, '', request('client', API_CLIENT, SERVER));
    await work();
    expect(conditionsIn(await bench.get(REQUESTS, '', 'kubelet'))).toEqual({});
    const client = await bench.get(REQUESTS, '', 'client');
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
    await bench.update(`${REQUESTS}/approval`, '', { ...client, status: { conditions } });
    await work();
    expect(conditionsIn(await bench.get(REQUESTS, '', 'client'))).toEqual({ Approved: 'True', Failed: 'True' });
    expect(signed).toEqual([]);
  });

  it('delete requests an hour after they were issued, and after a day without a decision', async () => {
    const { bench, work } = await scene(node, ['selfnodeclient', 'nodeclient']);
    await bench.create(REQUESTS, '', request('issued', KUBELET_CLIENT, CLIENT));
    await bench.create(REQUESTS, '', request('pending', 'x.example/signer', CLIENT));
    await work(2);
    bench.world.advance(HOUR * 1000);
    await work(2);
    expect(await refusal(bench.get(REQUESTS, '', 'issued'))).toMatch(/^404/);
    expect(await bench.get(REQUESTS, '', 'pending')).toBeDefined();
    bench.world.advance(23 * HOUR * 1000);
    await work(2);
    expect(await refusal(bench.get(REQUESTS, '', 'pending'))).toMatch(/^404/);
  });
});
