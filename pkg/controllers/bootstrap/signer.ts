import { createHmac } from 'node:crypto';
import { equalJson, type JsonObject, objectAt, textAt } from '../../api/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { keyOf, observing, placeOf, servedResource } from '../observe.js';
import { WorkQueue } from '../queue.js';
import { endOf, isTokenName, NAMESPACE, signingTokenOf } from './tokens.js';

const NAME = 'bootstrap-signer-controller';
const CLUSTER_INFO = 'kube-public/cluster-info';
const SIGNATURE = 'jws-kubeconfig-';

/** Signs the kubeconfig of the ConfigMap `cluster-info` with each bootstrap token that may sign, for nodes that know one. */
export function bootstrapSigner({ cluster, world, log }: ControllerContext): Controller {
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (_, error) => log(`${NAME}: will retry`, { error: String(error) }),
  });

  async function sync(): Promise<void> {
    const place = placeOf(cluster, 'configmaps', CLUSTER_INFO)!;
    const info = await cluster.get(place);
    if (info === undefined) return;
    const now = world.clock.now();
    const signatures: JsonObject = {};
    const kubeconfig = textAt(info, 'data', 'kubeconfig');
    for (const stored of cluster.known(servedResource(cluster.servedResources(), 'secrets')!, NAMESPACE)) {
      if (!isTokenName(stored)) continue;
      const secret = stored.parse();
      const token = signingTokenOf(secret, now);
      if (token === undefined) continue;
      if (kubeconfig !== '') signatures[SIGNATURE + token.id] = detachedSignature(kubeconfig, token);
      const left = endOf(secret) - now;
      if (Number.isFinite(left)) queue.addAfter(CLUSTER_INFO, left);
    }
    const others = Object.entries(objectAt(info, 'data')).filter(([key]) => !key.startsWith(SIGNATURE));
    const data = { ...Object.fromEntries(others), ...signatures };
    if (!equalJson(data, objectAt(info, 'data'))) await cluster.replace(place, '', { ...info, data });
  }

  const observer = observing({
    configmaps: (before, after) => {
      if (keyOf((after ?? before)!) === CLUSTER_INFO) queue.add(CLUSTER_INFO);
    },
    secrets: (before, after) => {
      if (isTokenName((after ?? before)!)) queue.add(CLUSTER_INFO);
    },
  });
  return controllerOf(NAME, cluster, queue, observer);
}

/** A JSON Web Signature without its content (RFC 7515, appendix F), with HMAC SHA-256 and the whole token as the key. */
export function detachedSignature(content: string, { id, secret }: { id: string; secret: string }): string {
  const encode = (text: string): string => Buffer.from(text).toString('base64url');
  const header = encode(JSON.stringify({ alg: 'HS256', kid: id }));
  const signature = createHmac('sha256', `${id}.${secret}`)
    .update(`${header}.${encode(content)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}
