import { writeFileSync } from 'node:fs';
import type { TestServer } from '../../pkg/outbound/testing/server.js';

/** Writes the kubeconfig of a webhook on a test server. */
export function writeWebhookConfig(
  file: string,
  { origin, ca }: Pick<TestServer, 'origin' | 'ca'>,
  path = '/review',
): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 's', user: 'u' } }],
    clusters: [
      {
        name: 's',
        cluster: { server: origin + path, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: 'u', user: { token: 'of-the-server' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
