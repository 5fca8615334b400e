import { setTimeout as pause } from 'node:timers/promises';
import { shellWord } from '../../base/index.js';
import type { Access } from '../access.js';
import { ClientError } from '../error.js';
import { askAny } from '../http.js';
import { clientLimits } from '../limits.js';
import { statusOf } from '../peers.js';
import type { Command, Context } from './command.js';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
/** The built-in signer, which signs with the authority of client certificates. */
const SIGNER = 'kubernetes.io/kube-apiserver-client';
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The parts of a CertificateSigningRequest that are used here. */
interface SigningRequest {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly certificate?: string;
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

export const kubeconfig: Command = {
  name: 'kubeconfig',
  takes: '--user NAME [--groups NAME,...] | --service-account NAMESPACE/NAME',
  help: 'Prints a kubeconfig for a user, with a new client certificate, or for a service account, with a token.',
  flags: [
    ['user', 'NAME  The user of the certificate. RBAC decides what the user may do'],
    ['groups', 'NAME,...  The groups of the user'],
    ['service-account', 'NAMESPACE/NAME  An existing service account'],
    [
      'duration',
      'TIME  How long the credentials are valid, such as 12h or 30d. Default: 365d for a user, 24h for a service account',
    ],
    ['out', 'FILE  A new file instead of standard output'],
  ],
  words: 0,
  run: async (context) => {
    const { flags } = context.args;
    const user = flags.get('user');
    const account = flags.get('service-account');
    if ((user === undefined) === (account === undefined))
      throw new ClientError('kubeconfig needs either --user or --service-account');
    if (user === '') throw new ClientError('--user must not be empty');
    const access = context.access();
    const groups = (flags.get('groups') ?? '').split(',').filter((g) => g !== '');
    if (user === undefined && groups.length > 0) throw new ClientError('--groups needs --user');
    const credentials =
      user === undefined
        ? await tokenOf(access, account!, secondsOf(flags.get('duration') ?? '24h'))
        : await certificateOf(
            context,
            access,
            { commonName: user, organizations: groups },
            secondsOf(flags.get('duration') ?? '365d'),
          );
    const [url, ...others] = await serversOf(access);
    const name = user ?? account!.replace('/', '-');
    const parts = {
      url: url!.url,
      others: others.length === 0 ? [] : [url!, ...others],
      ca: await authorityOf(access),
      user: name,
    };
    const text = await context.offline.kubeconfigText({ ...parts, ...credentials });
    const file = flags.get('out');
    if (file === undefined) context.print(text);
    else await write(context, file, text);
    return 0;
  },
};

async function write(context: Context, file: string, text: string): Promise<void> {
  try {
    await context.offline.writeSecret(file, text);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new ClientError(exists ? `${file} exists already` : `cannot write ${file}: ${(error as Error).message}`);
  }
  context.print(`export KUBECONFIG=${shellWord(file)}\n`);
}

/** Seconds of a duration such as 90m, 12h or 30d. */
function secondsOf(text: string): number {
  const m = /^([1-9]\d{0,6})([smhd])$/.exec(text);
  if (m === null) throw new ClientError(`--duration: ${JSON.stringify(text)} must be a time such as 12h or 30d`);
  return Number(m[1]) * SECONDS[m[2]!]!;
}

async function tokenOf(access: Access, account: string, seconds: number): Promise<{ readonly token: string }> {
  const m = /^([a-z0-9.-]+)\/([a-z0-9.-]+)$/.exec(account);
  if (m === null) throw new ClientError('--service-account must be NAMESPACE/NAME');
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [], expirationSeconds: seconds },
  };
  const path = `/api/v1/namespaces/${m[1]}/serviceaccounts/${m[2]}/token`;
  const made = (await askAny(access, { method: 'POST', path, body })) as {
    readonly status: { readonly token: string };
  };
  return { token: made.status.token };
}

/** Requests a certificate, approves the request, waits until it is signed, and removes the request. */
async function certificateOf(
  context: Context,
  access: Access,
  subject: { readonly commonName: string; readonly organizations: readonly string[] },
  seconds: number,
): Promise<{ readonly cert: string; readonly key: string }> {
  const { request, key } = await context.offline.requestCertificate(subject);
  const made = (await askAny(access, {
    method: 'POST',
    path: REQUESTS,
    body: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { generateName: 'triremectl-' },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: SIGNER,
        usages: ['digital signature', 'client auth'],
        expirationSeconds: seconds,
      },
    },
  })) as SigningRequest;
  const path = `${REQUESTS}/${made.metadata.name}`;
  try {
    const approval = {
      type: 'Approved',
      status: 'True',
      reason: 'Triremectl',
      message: 'requested with triremectl kubeconfig',
    };
    const body = { ...made, status: { conditions: [approval] } };
    await askAny(access, { method: 'PUT', path: `${path}/approval`, body });
    return { cert: await signed(access, path), key };
  } finally {
    await askAny(access, { method: 'DELETE', path });
  }
}

async function signed(access: Access, path: string): Promise<string> {
  for (let look = 0; look < clientLimits.signingLooks; look++) {
    const { status } = (await askAny(access, { method: 'GET', path })) as SigningRequest;
    if (status?.certificate !== undefined) return Buffer.from(status.certificate, 'base64').toString();
    const failed = status?.conditions?.find((c) => c.type === 'Failed' || c.type === 'Denied');
    if (failed !== undefined) throw new ClientError(`the certificate was not signed: ${failed.message ?? failed.type}`);
    await pause(clientLimits.signingPause);
  }
  throw new ClientError(
    'the certificate was not signed: is the controller certificatesigningrequest-signing-controller on?',
  );
}

/** The servers, with the names of their peers; a server that does not respond has a number as its name. */
async function serversOf(access: Access): Promise<readonly { readonly name: string; readonly url: string }[]> {
  return Promise.all(
    access.endpoints.map(async (url, i) => {
      const status = await statusOf(access, url).catch(() => undefined);
      return { url, name: status?.name || `server-${i + 1}` };
    }),
  );
}

/** The authority of the servers, as pods get it. */
async function authorityOf(access: Access): Promise<string> {
  const path = '/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt';
  const found = (await askAny(access, { method: 'GET', path })) as { readonly data?: Readonly<Record<string, string>> };
  const ca = found.data?.['ca.crt'];
  if (ca === undefined) throw new ClientError('the ConfigMap kube-system/kube-root-ca.crt has no ca.crt');
  return ca;
}
