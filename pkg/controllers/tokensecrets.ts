import { at, type JsonObject, objectAt, textAt } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from '../registry/index.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { metaOf } from './meta.js';
import { WorkQueue } from './queue.js';

const NAME = 'serviceaccount-token-controller';
const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

export interface TokenSecretOptions {
  /** PEM of the cluster's authority: `ca.crt` of each Secret. */
  readonly rootCa: string;
  issue(of: { namespace: string; secret: string; serviceAccount: string; uid: string }): Promise<string>;
}

/**
 * Sets the token in each Secret of type `kubernetes.io/service-account-token` for the account in its annotation, and
 * deletes the Secret if that account is deleted or was created again.
 */
export function tokenSecrets({ cluster, world, log }: ControllerContext, options: TokenSecretOptions): Controller {
  /** Namespace and name of each token Secret -> its account. */
  const secrets = new Map<string, string>();
  const queue = new WorkQueue({
    world,
    workers: 2,
    sync,
    failed: (key, error) => log(`${NAME}: will try again`, { secret: key, error: String(error) }),
  });

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (resource.group !== '') return;
    const object = after ?? before!;
    if (resource.resource === 'secrets') {
      const key = `${object.namespace}/${object.name}`;
      const secret = after?.value();
      if (secret === undefined || textAt(secret, 'type') !== TYPE) {
        secrets.delete(key);
        return;
      }
      secrets.set(key, `${object.namespace}/${textAt(secret, 'metadata', 'annotations', ACCOUNT_NAME)}`);
      queue.add(key);
    } else if (resource.resource === 'serviceaccounts' && (before === undefined || after === undefined)) {
      const account = `${object.namespace}/${object.name}`;
      for (const [key, of] of secrets) if (of === account) queue.add(key);
    }
  }

  async function sync(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const servedResources = cluster.servedResources();
    const resource = servedResources.find('', 'v1', 'secrets')!;
    const place = { resource, namespace, name };
    const secret = await cluster.get(place);
    if (secret === undefined || textAt(secret, 'type') !== TYPE) return;
    const annotations = objectAt(secret, 'metadata', 'annotations');
    const accountName = textAt(annotations, ACCOUNT_NAME);
    const account = await cluster.get({
      resource: servedResources.find('', 'v1', 'serviceaccounts')!,
      namespace,
      name: accountName,
    });
    const { uid, resourceVersion } = metaOf(secret);
    const accountUid = account === undefined ? '' : metaOf(account).uid;
    const namedUid = textAt(annotations, ACCOUNT_UID);
    if (account === undefined || (namedUid !== '' && namedUid !== accountUid)) {
      await cluster.delete(place, { uid, resourceVersion });
      return;
    }
    const data = await wanted(secret, { namespace, secret: name, serviceAccount: accountName, uid: accountUid });
    if (Object.keys(data).length === 0 && namedUid === accountUid) return;
    await cluster.patch(place, '', {
      metadata: { resourceVersion, annotations: { [ACCOUNT_UID]: accountUid } },
      data,
    });
  }

  /** The entries of `data` that are missing or differ. An existing token is kept. */
  async function wanted(secret: JsonObject, of: Parameters<TokenSecretOptions['issue']>[0]): Promise<JsonObject> {
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    const data: JsonObject = {};
    if (at(secret, 'data', 'ca.crt') !== encoded(options.rootCa)) data['ca.crt'] = encoded(options.rootCa);
    if (at(secret, 'data', 'namespace') !== encoded(of.namespace)) data['namespace'] = encoded(of.namespace);
    if (textAt(secret, 'data', 'token') === '') data['token'] = encoded(await options.issue(of));
    return data;
  }

  return controllerOf(NAME, cluster, queue, { changed });
}
