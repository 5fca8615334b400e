import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  boolAt,
  isPathSegmentName,
  type JsonObject,
  objectIn,
  objectsAt,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import type { World } from '../base/index.js';
import { forbidden, newPod } from './step.js';

const SERVICE_ACCOUNTS = { group: '', resource: 'serviceaccounts' } as const;

/** The mount path of the service account token in containers. */
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_VOLUME_PREFIX = 'kube-api-access-';
/** An hour, and a few seconds that distinguish it from a lifetime that a user chose. */
const TOKEN_SECONDS = 3607;
/** Marks the mirror pod of a static pod. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** A controller creates this account in every namespace. Lookups are repeated because it may not exist yet. Milliseconds. */
const DEFAULT_ACCOUNT = 'default';
const DEFAULT_ATTEMPTS = 10;
const DEFAULT_WAIT = 100;

/** Runs every pod as a service account of its namespace, with that account's token and pull secrets. */
export function serviceAccountStep(objects: StoredObjects, world: World): AdmissionStep {
  return {
    name: 'ServiceAccount',
    concerns: ({ groupResource: { group, resource } }) => group === '' && resource === 'pods',
    mutate: async (request) => {
      const pod = newPod(request);
      if (pod === undefined) return;
      if (isMirror(pod)) return checkMirror(pod, refusal(request));
      const spec = objectIn(pod, 'spec');
      if (textAt(spec, 'serviceAccountName') === '') spec['serviceAccountName'] = DEFAULT_ACCOUNT;
      spec['serviceAccount'] = textAt(spec, 'serviceAccountName');
      const account = await accountOf(pod, request, objects, world);
      if (mountsToken(spec, account)) mountToken(spec, world);
      if (objectsAt(spec, 'imagePullSecrets').length === 0) {
        const secrets = objectsAt(account, 'imagePullSecrets');
        if (secrets.length > 0) spec['imagePullSecrets'] = secrets.map((s) => ({ name: textAt(s, 'name') }));
      }
      checkMountable(pod, account, refusal(request));
    },
    validate: async (request) => {
      const added = request.operation === 'update' && request.subresource === 'ephemeralcontainers';
      const pod = added ? request.object : newPod(request);
      if (pod === undefined) return;
      const refuse = refusal(request);
      if (isMirror(pod)) return checkMirror(pod, refuse);
      if (textAt(pod, 'spec', 'serviceAccountName') === '')
        throw refuse(`no service account specified for pod ${request.namespace}/${request.name}`);
      checkMountable(pod, await accountOf(pod, request, objects, world), refuse);
    },
  };
}

type Refuse = (why: string) => Error;

const refusal =
  (request: AdmissionRequest): Refuse =>
  (why) =>
    forbidden(request, why);

const isMirror = (pod: JsonObject): boolean => at(pod, 'metadata', 'annotations', MIRROR_ANNOTATION) !== undefined;

/** Waits for the default account, which may not exist yet in a new namespace. */
async function accountOf(
  pod: JsonObject,
  request: AdmissionRequest,
  objects: StoredObjects,
  world: World,
): Promise<JsonObject> {
  const { namespace } = request;
  const name = textAt(pod, 'spec', 'serviceAccountName');
  const bad = isPathSegmentName(name);
  if (bad.length > 0)
    throw refusal(request)(
      `error looking up service account ${namespace}/${name}: invalid resource name ${JSON.stringify(name)}: [${bad.join(', ')}]`,
    );
  const attempts = name === DEFAULT_ACCOUNT ? DEFAULT_ATTEMPTS : 1;
  for (let attempt = 1; ; attempt++) {
    const account = await objects.get(SERVICE_ACCOUNTS, namespace, name);
    if (account !== undefined) return account;
    if (attempt === attempts)
      throw refusal(request)(
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    const wait = DEFAULT_WAIT * (1 + world.random.float());
    await new Promise<void>((resolve) => {
      world.timers.after(wait, resolve);
    });
  }
}

/** A mirror pod may not use a service account or secrets. */
function checkMirror(pod: JsonObject, refuse: Refuse): void {
  if (textAt(pod, 'spec', 'serviceAccountName') !== '') throw refuse('a mirror pod may not reference service accounts');
  if (usesSecrets(pod)) throw refuse('a mirror pod may not reference secrets');
  const projects = objectsAt(pod, 'spec', 'volumes').some((v) =>
    objectsAt(v, 'projected', 'sources').some((s) => at(s, 'serviceAccountToken') !== undefined),
  );
  if (projects) throw refuse('a mirror pod may not use ServiceAccountToken volume projections');
}

/** Volume sources that refer to a secret, with the path of kube-apiserver. */
const SECRET_FIELDS: Readonly<Record<string, readonly string[]>> = {
  azureFile: ['secretName'],
  secret: ['secretName'],
  cephfs: ['secretRef', 'name'],
  cinder: ['secretRef', 'name'],
  flexVolume: ['secretRef', 'name'],
  rbd: ['secretRef', 'name'],
  scaleIO: ['secretRef', 'name'],
  iscsi: ['secretRef', 'name'],
  storageos: ['secretRef', 'name'],
  csi: ['nodePublishSecretRef', 'name'],
};

function usesSecrets(pod: JsonObject): boolean {
  const byVolume = objectsAt(pod, 'spec', 'volumes').some(
    (v) =>
      Object.entries(SECRET_FIELDS).some(([source, path]) => textAt(v, source, ...path) !== '') ||
      objectsAt(v, 'projected', 'sources').some((s) => at(s, 'secret') !== undefined),
  );
  const byContainer = CONTAINER_LISTS.some((list) =>
    objectsAt(pod, 'spec', list).some(
      (c) =>
        objectsAt(c, 'env').some((e) => at(e, 'valueFrom', 'secretKeyRef') !== undefined) ||
        objectsAt(c, 'envFrom').some((e) => at(e, 'secretRef') !== undefined),
    ),
  );
  return byVolume || byContainer || objectsAt(pod, 'spec', 'imagePullSecrets').length > 0;
}

const MOUNTABLE_ANNOTATION = 'kubernetes.io/enforce-mountable-secrets';
const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const CALLED = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
} as const;

/** Enforces the annotation that limits pods of an account to the secrets that the account lists. */
function checkMountable(pod: JsonObject, account: JsonObject, refuse: Refuse): void {
  if (!TRUE.includes(textAt(account, 'metadata', 'annotations', MOUNTABLE_ANNOTATION))) return;
  const named = (list: string): ReadonlySet<string> => new Set(objectsAt(account, list).map((s) => textAt(s, 'name')));
  const mountable = named('secrets');
  const pull = named('imagePullSecrets');
  const name = textAt(account, 'metadata', 'name');
  const not = `is not allowed because service account ${name} does not reference that`;
  for (const volume of objectsAt(pod, 'spec', 'volumes')) {
    const secret = textAt(volume, 'secret', 'secretName');
    if (at(volume, 'secret') !== undefined && !mountable.has(secret))
      throw refuse(`volume with secret.secretName="${secret}" ${not} secret`);
  }
  for (const list of CONTAINER_LISTS) {
    for (const c of objectsAt(pod, 'spec', list)) {
      for (const e of objectsAt(c, 'env')) {
        const secret = textAt(e, 'valueFrom', 'secretKeyRef', 'name');
        if (at(e, 'valueFrom', 'secretKeyRef') === undefined || mountable.has(secret)) continue;
        throw refuse(
          `${CALLED[list]} ${textAt(c, 'name')} with envVar ${textAt(e, 'name')} referencing secret.secretName="${secret}" ${not} secret`,
        );
      }
    }
  }
  for (const [i, s] of objectsAt(pod, 'spec', 'imagePullSecrets').entries())
    if (!pull.has(textAt(s, 'name')))
      throw refuse(`imagePullSecrets[${i}].name="${textAt(s, 'name')}" ${not} imagePullSecret`);
}

/** The pod's field takes precedence over the account's; the default is true. */
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
