import { describe, expect, it } from 'vitest';
import { FieldErrors, type JsonObject, nameOf } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';
import { clusterTrustBundle } from './clustertrustbundle.js';

/** The certificate of an authority, and one that is not of an authority. */
const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBcDCCARWgAwIBAgIUX+D/Ibe4MkvMv0JIKoZfdogTnX8wCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBbjAgFw0yNjExMjIyMzIwMTBaGA8yMTI2MTAyOTIzMjAxMFow
DDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKMVDI9ugAu2
4nFB5g/RH8lN31Cpvn1HJhnwfy+PZINp+1BZi+vXhrslwrUPMC0bQ7UdWsvEE8x8
UTjKAC7TG/yjUzBRMB0GA1UdDgQWBBT1Lon+BA1bwGb/BlUFLy5yrft/VjAfBgNV
HSMEGDAWgBT1Lon+BA1bwGb/BlUFLy5yrft/VjAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0kAMEYCIQDNPF+G2o2Mgg782J3+ehhSxS/3yEYEuHh0Xeyt1384
9QIhAP4Ov7wtYIcq+4Bkw4CB9DZR+MskGr0IzJksjqpi0HpO
-----END CERTIFICATE-----`;
const LEAF = `-----BEGIN CERTIFICATE-----
MIIBcjCCARigAwIBAgIULj+VfMZxzlwfbR9tpMVtYWbW/pQwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbGVhZjAgFw0yNjExMjIyMzMyNDZaGA8yMTI2MTAyOTIzMzI0
NlowDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAya
+6sgjeA7RRgr9b4u565rf2ruTXxXuGOg4qMX/Q3rIYY/IawiJlA41tBWS9uoHkqQ
hgTrM8lE+6YrP54yGzKjUDBOMB0GA1UdDgQWBBTJvc3XszKQAvSuTr249azvQbrB
UjAfBgNVHSMEGDAWgBTJvc3XszKQAvSuTr249azvQbrBUjAMBgNVHRMBAf8EAjAA
MAoGCCqGSM49BAMCA0gAMEUCID+Ek/thudf+X8/04T+at0j5I/3rfmjeNNpdFJN2
/aF0AiEA6en+9ZpdeQSRabaQ9r2OW9cOOkdjFcwAZ8WsFjLGlug=
-----END CERTIFICATE-----`;

const bundle = (name: string, trustBundle: string, signerName?: string): JsonObject => ({
  metadata: { name },
  spec: { trustBundle, ...(signerName === undefined ? {} : { signerName }) },
});

function nameProblems(o: JsonObject): readonly string[] {
  const { validateName } = clusterTrustBundle.strategy.create!;
  return validateName!(nameOf(o), false, o as never);
}

function problems(o: JsonObject, old?: JsonObject): readonly string[] {
  const errors = new FieldErrors();
  const { create, update } = clusterTrustBundle.strategy;
  if (old === undefined) create!.validate!(o as never, errors, undefined as never);
  else update!.validate!(o as never, old as never, errors, undefined as never);
  return errors.list.map((e) => `${e.field}: ${e.message}`);
}

describe('a trust bundle', () => {
  it('without a signer has a plain name, and one of a signer begins with it', () => {
    expect(nameProblems(bundle('roots', AUTHORITY))).toEqual([]);
    expect(nameProblems(bundle('example.com:ca:v1', AUTHORITY, 'example.com/ca'))).toEqual([]);
    expect(nameProblems(bundle('a:b', AUTHORITY))).toEqual([
      'ClusterTrustBundle without signer name must not have ":" in its name',
    ]);
    expect(nameProblems(bundle('v1', AUTHORITY, 'example.com/ca'))).toEqual([
      'ClusterTrustBundle for signerName example.com/ca must be named with prefix example.com:ca:',
    ]);
    expect(nameProblems(bundle('example.com:ca:V1', AUTHORITY, 'example.com/ca'))).toHaveLength(1);
  });

  it('that is changed has errors in its name before those in its finalizers', async () => {
    const b = await Bench.open();
    const whole = (finalizers: string[], signer?: string): JsonObject => ({
      ...bundle('roots', AUTHORITY, signer),
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'ClusterTrustBundle',
      metadata: { name: 'roots', finalizers },
    });
    const kind = 'clustertrustbundles.certificates.k8s.io/v1';
    await b.create(kind, '', whole([]));
    const merged = b.patch(
      kind,
      ['', 'roots'],
      { metadata: { finalizers: ['x'] }, spec: { signerName: 'a.b/c' } },
      'merge',
    );
    expect((await causesOf(merged)).map((cause) => cause.split(':')[0])).toEqual([
      'metadata.name',
      'metadata.finalizers[0]',
      'spec.signerName',
    ]);
  });

  it.each([
    ['', 'at least one trust anchor must be provided'],
    [LEAF, 'entry 0 does not have the CA bit set'],
    [`${AUTHORITY}\n${AUTHORITY}`, 'duplicate trust anchor (indices [0 1])'],
    [AUTHORITY.replaceAll('CERTIFICATE', 'PRIVATE KEY'), 'entry 0 has bad block type: PRIVATE KEY'],
    [`${AUTHORITY}\n-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----`, 'entry 1 does not parse as X.509'],
    [AUTHORITY.replace('-----\n', '-----\nKey: value\n\n'), 'entry 0 has PEM block headers'],
  ])('has certificates of authorities, each once (%#)', (text, expected) => {
    expect(problems(bundle('roots', text))).toEqual([
      `spec.trustBundle: Invalid value: "<value omitted>": ${expected}`,
    ]);
  });

  it('keeps its signer, and is parsed again only when it changes', () => {
    const old = bundle('example.com:ca:v1', 'unreadable', 'example.com/ca');
    expect(problems(bundle('example.com:ca:v1', 'unreadable', 'example.com/ca'), old)).toEqual([]);
    expect(problems(bundle('example.com:ca:v1', 'unreadable'), old)).toContain(
      'spec.signerName: Invalid value: "": field is immutable',
    );
  });
});
