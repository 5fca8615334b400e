// Assertions, and the APIs of @kubernetes/client-node for a kubeconfig.
import * as k8s from '@kubernetes/client-node';

/** Throws an error with the message if the condition does not hold. */
export function check(holds, message) {
  if (!holds) throw new Error(message);
}

export function fileContexts(kubeconfig) {
  const config = new k8s.KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = (type) => config.makeApiClient(type);
  return {
    config,
    core: api(k8s.CoreV1Api),
    apps: api(k8s.AppsV1Api),
    custom: api(k8s.CustomObjectsApi),
    extensions: api(k8s.ApiextensionsV1Api),
    watcher: config,
  };
}
