import {
  CoreV1Api as Core,
  type CoreV1Api,
  type KubeConfig,
  makeInformer,
  type V1ConfigMap,
} from '@kubernetes/client-node';

const LABEL = 'example.com/copy-to';

/**
 * Keeps a copy of each labelled ConfigMap in another namespace: `example.com/copy-to: staging` copies it to `staging`.
 * The copy is updated with its source and deleted with it.
 */
export function startCopier(config: KubeConfig): { stop(): Promise<void> } {
  const api = config.makeApiClient(Core);
  const informer = makeInformer<V1ConfigMap>(
    config,
    '/api/v1/configmaps',
    () => api.listConfigMapForAllNamespaces({ labelSelector: LABEL }),
    LABEL,
  );
  let stopped = false;
  let last = Promise.resolve();
  // One change at a time, in order.
  const reconcile = (source: V1ConfigMap, deleted: boolean): void => {
    last = last
      .then(() => (deleted ? remove(api, source) : copy(api, source)))
      .catch((error: unknown) => {
        if (!stopped) console.error('copy failed:', error);
      });
  };
  informer.on('add', (source) => reconcile(source, false));
  informer.on('update', (source) => reconcile(source, false));
  informer.on('delete', (source) => reconcile(source, true));
  // A watch ends from time to time; the informer then lists and watches again.
  informer.on('error', () => {
    if (!stopped) void informer.start();
  });
  void informer.start();
  return {
    async stop() {
      stopped = true;
      await informer.stop();
      await last;
    },
  };
}

async function copy(api: CoreV1Api, source: V1ConfigMap): Promise<void> {
  const namespace = source.metadata?.labels?.[LABEL];
  const name = source.metadata?.name;
  if (namespace === undefined || name === undefined) return;
  const wanted: V1ConfigMap = {
    metadata: { name, namespace },
    ...(source.data === undefined ? {} : { data: source.data }),
  };
  try {
    await api.replaceNamespacedConfigMap({ name, namespace, body: wanted });
  } catch (error) {
    if (codeOf(error) !== 404) throw error;
    await api.createNamespacedConfigMap({ namespace, body: wanted });
  }
}

async function remove(api: CoreV1Api, source: V1ConfigMap): Promise<void> {
  const namespace = source.metadata?.labels?.[LABEL];
  const name = source.metadata?.name;
  if (namespace === undefined || name === undefined) return;
  await api.deleteNamespacedConfigMap({ name, namespace }).catch((error: unknown) => {
    if (codeOf(error) !== 404) throw error;
  });
}

function codeOf(error: unknown): number | undefined {
  return (error as { readonly code?: number }).code;
}
