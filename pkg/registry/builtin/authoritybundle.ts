import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '../../api/index.js';

/**
 * Returns what is wrong with a bundle of authorities (`caBundle`: PEM in base64); undefined if at least one certificate in it can be read.
 * The texts are those of kube-apiserver.
 */
export function bundleProblem(base64: string): string | undefined {
  const blocks = [...pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))];
  const certificates = blocks.filter((b) => b.type === 'CERTIFICATE' && !b.hasHeaders);
  if (certificates.some((b) => isCertificate(b.text))) return undefined;
  const why =
    blocks.length === 0
      ? 'unable to parse bytes as PEM block'
      : certificates.length === 0
        ? 'no valid certificate authority data seen'
        : 'failed to parse certificate: x509: malformed certificate';
  return `unable to load root certificates: ${why}`;
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
