import { readFileSync } from 'node:fs';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from '../e2e/client.js';

/**
 * The server that is asked: one in this process, or with REFERENCE, REFERENCE_CA, REFERENCE_CERT and REFERENCE_KEY (as
 * `make difffuzz` takes them) a running kube-apiserver with the same features. Statements where it is known to differ are left out.
 */
const { REFERENCE = '', REFERENCE_CA = '', REFERENCE_CERT = '', REFERENCE_KEY = '' } = process.env;
export const ofReference = REFERENCE !== '';

/** Features that the documents describe and that are off by default. */
const FEATURES = { DRADerivedAttributes: true, DRAListTypeAttributes: true };

export interface Asked {
  readonly client: Client;
  close(): Promise<void>;
}

/** Starts the server, with the namespace `rules` and its service account; no controllers run. */
export async function openAsked(): Promise<Asked> {
  let server: TestApiServer | undefined;
  if (!ofReference)
    server = await startApiServer({ runtimeConfig: { 'api/all': true }, featureGates: FEATURES, controllers: [] });
  const client = new Client(
    server ?? {
      url: REFERENCE,
      ca: readFileSync(REFERENCE_CA, 'utf8'),
      cert: readFileSync(REFERENCE_CERT, 'utf8'),
      key: readFileSync(REFERENCE_KEY, 'utf8'),
    },
  );
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rules' } };
  const made = await client.ask('/api/v1/namespaces', { body: namespace });
  if (![201, 409].includes(made.status)) throw new Error(`the namespace was not created: ${made.body.toString()}`);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await client.ask('/api/v1/namespaces/rules/serviceaccounts', { body: account });
  return {
    client,
    close: async () => {
      client.close();
      await server?.close();
    },
  };
}
