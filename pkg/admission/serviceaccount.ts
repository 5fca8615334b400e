import { at, boolAt, errors, type JsonObject, objectIn, objectsAt, textAt } from '../api/index.js';
import type { World } from '../base/index.js';
import { newPod, type Step, type StoredObjects } from './step.js';

const SERVICE_ACCOUNTS = { group: '', resource: 'serviceaccounts' } as const;

/** Where containers find the token of their pod's account. */
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_VOLUME_PREFIX = 'kube-api-access-';
/** An hour and a few seconds by which it is told from one that a person asked for. */
const TOKEN_SECONDS = 3607;
/** A mirror of a pod that a node runs on its own. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Every pod runs as a service account of its namespace, and has that account's token and pull secrets. */
export function serviceAccountStep(objects: StoredObjects, world: World): Step {
  return {
    name: 'ServiceAccount',
    mutate: async (request) => {
      const pod = newPod(request);
      if (pod === undefined || at(pod, 'metadata', 'annotations', MIRROR_ANNOTATION) !== undefined) return;
      const spec = objectIn(pod, 'spec');
      if (textAt(spec, 'serviceAccountName') === '') spec['serviceAccountName'] = 'default';
      const name = textAt(spec, 'serviceAccountName');
      spec['serviceAccount'] = name;
      const { namespace, resource } = request.target;
      const account = await objects.get(SERVICE_ACCOUNTS, namespace, name);
      if (account === undefined) {
        throw errors.forbidden(
          resource.groupResource,
          request.name,
          `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
        );
      }
      if (mountsToken(spec, account)) mountToken(spec, world);
      if (objectsAt(spec, 'imagePullSecrets').length === 0) {
        const secrets = objectsAt(account, 'imagePullSecrets');
        if (secrets.length > 0) spec['imagePullSecrets'] = secrets.map((s) => ({ name: textAt(s, 'name') }));
      }
    },
  };
}

/** The pod decides, then its account; who says nothing wants it. */
function mountsToken(spec: JsonObject, account: JsonObject): boolean {
  const own = at(spec, 'automountServiceAccountToken');
  return own === undefined ? at(account, 'automountServiceAccountToken') !== false : boolAt(own);
}

function mountToken(spec: JsonObject, world: World): void {
  const volumes = objectsAt(spec, 'volumes');
  const given = volumes.find((v) => textAt(v, 'name').startsWith(TOKEN_VOLUME_PREFIX));
  const name =
    given === undefined ? freeName(new Set(volumes.map((v) => textAt(v, 'name'))), world) : textAt(given, 'name');
  let mounted = false;
  for (const list of ['initContainers', 'containers'] as const) {
    for (const container of objectsAt(spec, list)) {
      const mounts = objectsAt(container, 'volumeMounts');
      if (mounts.some((m) => textAt(m, 'mountPath') === TOKEN_PATH)) continue;
      container['volumeMounts'] = [...mounts, { name, readOnly: true, mountPath: TOKEN_PATH }];
      mounted = true;
    }
  }
  if (mounted && given === undefined) spec['volumes'] = [...volumes, tokenVolume(name)];
}

const CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const NAME_ATTEMPTS = 10;

function freeName(taken: ReadonlySet<string>, world: World): string {
  let name = '';
  for (let i = 0; i < NAME_ATTEMPTS; i++) {
    name = TOKEN_VOLUME_PREFIX;
    for (const byte of world.random.bytes(5)) name += CHARACTERS[byte % CHARACTERS.length];
    if (!taken.has(name)) break;
  }
  return name;
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}
