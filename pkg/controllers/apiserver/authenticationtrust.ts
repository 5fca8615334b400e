import { equalJson, type JsonObject, objectAt, textAt } from '../../api/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';

const NAMESPACE = 'kube-system';
const NAME = 'extension-apiserver-authentication';
const CONTROLLER = 'cluster-authentication-trust-controller';

/** The trusted certificates of an API server, from its current flags and files. */
export interface TrustedAuthorities {
  /** PEM. */
  readonly clientCa: string;
  readonly requestHeader:
    | {
        /** PEM. */
        readonly clientCa: string;
        readonly allowedNames: readonly string[];
        readonly usernameHeaders: readonly string[];
        readonly uidHeaders: readonly string[];
        readonly groupHeaders: readonly string[];
        readonly extraHeaderPrefixes: readonly string[];
      }
    | undefined;
}

export interface AuthenticationTrustOptions {
  trusted(): TrustedAuthorities;
  /** Splits a PEM bundle into its certificates and drops expired ones. */
  validCertificates(pem: string): readonly string[];
}

export interface AuthenticationTrust extends Controller {
  /** Called after the files have changed. */
  refresh(): void;
}

/**
 * Keeps the ConfigMap by which aggregated API servers authenticate front proxies and clients. It runs on every peer,
 * because each adds its own trusted certificates to those of the others.
 */
export function authenticationTrust(
  { cluster, world, log }: ControllerContext,
  options: AuthenticationTrustOptions,
): AuthenticationTrust {
  const key = `${NAMESPACE}/${NAME}`;
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (_, error) => log(`${CONTROLLER}: will retry`, { error: String(error) }),
  });

  async function sync(): Promise<void> {
    const place = placeOf(cluster, 'configmaps', key)!;
    const present = await cluster.get(place);
    const data = combined(objectAt(present, 'data'), options);
    if (present === undefined)
      await cluster.create(place.resource, NAMESPACE, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: NAME, namespace: NAMESPACE },
        data,
      });
    else if (!equalJson(objectAt(present, 'data'), data)) await cluster.replace(place, '', { ...present, data });
  }

  const observer = observing({
    configmaps: (before, after) => {
      const { namespace, name } = (after ?? before)!;
      if (namespace === NAMESPACE && name === NAME) queue.add(key);
    },
  });
  const controller = controllerOf(CONTROLLER, cluster, queue, observer);
  return {
    name: CONTROLLER,
    get counts() {
      return controller.counts;
    },
    async start() {
      queue.add(key);
      await controller.start();
    },
    stop: () => controller.stop(),
    refresh: () => queue.add(key),
  };
}

function combined(present: JsonObject, { trusted, validCertificates }: AuthenticationTrustOptions): JsonObject {
  const { clientCa, requestHeader } = trusted();
  const certificates = (key: string, own: string): string => {
    const all = [...validCertificates(textAt(present, key)), ...validCertificates(own)];
    return [...new Set(all)].join('');
  };
  const list = (key: string, own: readonly string[]): string =>
    JSON.stringify([...new Set([...textsOf(textAt(present, key)), ...own])]);
  const data: JsonObject = {};
  const clients = certificates('client-ca-file', clientCa);
  if (clients !== '') data['client-ca-file'] = clients;
  const proxies = certificates('requestheader-client-ca-file', requestHeader?.clientCa ?? '');
  if (proxies === '') return data;
  data['requestheader-username-headers'] = list('requestheader-username-headers', requestHeader?.usernameHeaders ?? []);
  const uids = list('requestheader-uid-headers', requestHeader?.uidHeaders ?? []);
  if (uids !== '[]') data['requestheader-uid-headers'] = uids;
  data['requestheader-group-headers'] = list('requestheader-group-headers', requestHeader?.groupHeaders ?? []);
  data['requestheader-extra-headers-prefix'] = list(
    'requestheader-extra-headers-prefix',
    requestHeader?.extraHeaderPrefixes ?? [],
  );
  data['requestheader-client-ca-file'] = proxies;
  data['requestheader-allowed-names'] = list('requestheader-allowed-names', requestHeader?.allowedNames ?? []);
  return data;
}

/** The strings of a JSON list. Any other content reads as empty and is replaced. */
function textsOf(json: string): readonly string[] {
  if (json === '') return [];
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
  } catch {
    return [];
  }
}
