import { expect, it } from 'vitest';
import type { AdmissionRequest } from '../api/index.js';
import { certificateSubjectStep } from './certificatesubject.js';
import { admissionRequest } from './testing.js';

const SIGNER = 'kubernetes.io/kube-apiserver-client';

/**
 * A request whose subject has this organisation, as a string of this type; with only the fields that the step reads.
 */
function asking(tag: number, text: Buffer, signerName = SIGNER): AdmissionRequest {
  const organization = der(0x31, der(0x30, der(0x06, Buffer.from([0x55, 0x04, 0x0a])), der(tag, text)));
  return encoded(der(0x30, organization), signerName);
}

const der = (tag: number, ...content: readonly Buffer[]): Buffer => {
  const inner = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, 0x82, inner.length >> 8, inner.length & 0xff]), inner]);
};

function encoded(subject: Buffer, signerName = SIGNER): AdmissionRequest {
  const info = der(0x30, der(0x02, Buffer.from([0])), subject, der(0x30), der(0xa0));
  const request = der(0x30, info, der(0x30), der(0x03, Buffer.alloc(8)));
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${request.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  return admissionRequest('certificatesigningrequests', {
    group: 'certificates.k8s.io',
    namespace: '',
    name: 'a',
    object: { metadata: { name: 'a' }, spec: { signerName, request: Buffer.from(pem).toString('base64') } },
    user: { name: 'jane', groups: [] },
  });
}

const wide = (text: string, width: number): Buffer =>
  Buffer.concat(
    [...text].map((c) => {
      const bytes = Buffer.alloc(width);
      bytes.writeUInt16BE(c.charCodeAt(0), width - 2);
      return bytes;
    }),
  );

it.each([
  ['UTF8String', 0x0c, Buffer.from('system:masters')],
  ['PrintableString', 0x13, Buffer.from('system:masters')],
  ['BMPString', 0x1e, wide('system:masters', 2)],
  ['UniversalString', 0x1c, wide('system:masters', 4)],
])('refuses a certificate for system:masters, encoded as %s', (_, tag, text) => {
  expect(() => certificateSubjectStep.validate!(asking(tag, text))).toThrow(
    `use of ${SIGNER} signer with system:masters group is not allowed`,
  );
  expect(() => certificateSubjectStep.validate!(asking(tag, text, 'example.com/other'))).not.toThrow();
});

it('requests for other organisations are admitted', () => {
  expect(() => certificateSubjectStep.validate!(asking(0x1e, wide('masters', 2)))).not.toThrow();
  expect(() => certificateSubjectStep.validate!(asking(0x1e, Buffer.from('abc')))).not.toThrow();
});

it('refuses a request whose subject cannot be read', () => {
  expect(() => certificateSubjectStep.validate!(encoded(der(0x30, der(0x30))))).toThrow('failed to parse CSR');
});
