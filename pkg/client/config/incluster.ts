import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostPort } from '../../outbound/index.js';
import { ClientError } from '../error.js';
import { type ClientConfig, type ConfigParts, tokenFile } from './connect.js';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The configuration of a pod: the server by KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, the token, authorities and namespace of
 * its service account. Throws `ClientError` outside of a pod.
 */
export function inClusterConfig({ clock, env }: ConfigParts, folder = FOLDER): ClientConfig {
  const [host = '', port = ''] = [env['KUBERNETES_SERVICE_HOST'], env['KUBERNETES_SERVICE_PORT']];
  if (host === '' || port === '')
    throw new ClientError(
      'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    );
  const read = (name: string): string | undefined => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      return undefined;
    }
  };
  if (read('token') === undefined) throw new ClientError(`open ${join(folder, 'token')}: no such file or directory`);
  const authorization = tokenFile(join(folder, 'token'), clock);
  return {
    origin: `https://${hostPort({ host, port: Number(port) })}`,
    path: '',
    namespace: read('namespace')?.trim() || 'default',
    serverName: undefined,
    ca: read('ca.crt'),
    insecure: false,
    proxy: undefined,
    certificate: undefined,
    credentials: async () => ({ authorization }),
    refused: () => false,
  };
}
