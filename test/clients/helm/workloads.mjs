// Writes the status that Jobs, Deployments and pods of one namespace have when they have finished, as long as it runs. A Deployment
// gets a ReplicaSet, which Helm 3 waits for.
import { createHash } from 'node:crypto';
import * as k8s from '@kubernetes/client-node';

export async function finishWorkloads(config, namespace) {
  const [core, apps, batch] = [k8s.CoreV1Api, k8s.AppsV1Api, k8s.BatchV1Api].map((type) => config.makeApiClient(type));
  const now = () => new Date();
  const condition = (type, reason = 'Finished') => ({ type, status: 'True', reason, lastTransitionTime: now(), lastProbeTime: now() });
  const replace = { namespace, fieldManager: 'workloads' };
  const informers = [
    follow('pods', '/api/v1', () => core.listNamespacedPod({ namespace }), async (body) => {
      if (body.status?.phase === 'Succeeded') return;
      await core.replaceNamespacedPodStatus({ ...replace, name: body.metadata.name, body: { ...body, status: { ...body.status, phase: 'Succeeded' } } });
    }),
    follow('jobs', '/apis/batch/v1', () => batch.listNamespacedJob({ namespace }), async (body) => {
      if (body.status?.succeeded) return;
      const conditions = [condition('SuccessCriteriaMet'), condition('Complete')];
      const status = { succeeded: 1, startTime: now(), completionTime: now(), conditions, uncountedTerminatedPods: {}, ready: 0, terminating: 0 };
      await batch.replaceNamespacedJobStatus({ ...replace, name: body.metadata.name, body: { ...body, status } });
    }),
    follow('deployments', '/apis/apps/v1', () => apps.listNamespacedDeployment({ namespace }), async (body) => {
      const n = body.spec.replicas;
      const { generation } = body.metadata;
      if (body.status?.observedGeneration === generation && body.status.availableReplicas === n) return;
      await replicaSet(body);
      const status = { observedGeneration: generation, replicas: n, updatedReplicas: n, readyReplicas: n, availableReplicas: n, conditions: [condition('Available'), condition('Progressing', 'NewReplicaSetAvailable')].map(({ lastProbeTime, ...c }) => ({ ...c, lastUpdateTime: lastProbeTime })) };
      await apps.replaceNamespacedDeploymentStatus({ ...replace, name: body.metadata.name, body: { ...body, status } });
    }),
  ];
  async function replicaSet({ metadata, spec }) {
    const hash = createHash('sha256').update(JSON.stringify(spec.template)).digest('hex').slice(0, 10);
    const labels = { ...spec.template.metadata.labels, 'pod-template-hash': hash };
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name, uid: metadata.uid, controller: true };
    const name = `${metadata.name}-${hash}`;
    const template = { ...spec.template, metadata: { ...spec.template.metadata, labels } };
    const body = { metadata: { name, labels, ownerReferences: [owner] }, spec: { replicas: spec.replicas, selector: { matchLabels: labels }, template } };
    const made = await apps.createNamespacedReplicaSet({ namespace, body }).catch(async (error) => {
      if (error.code !== 409) throw error;
      return apps.readNamespacedReplicaSet({ namespace, name });
    });
    const n = spec.replicas;
    const status = { replicas: n, readyReplicas: n, availableReplicas: n, fullyLabeledReplicas: n, observedGeneration: made.metadata.generation };
    await apps.patchNamespacedReplicaSetStatus({ namespace, name, body: { status } }, k8s.setHeaderOptions('Content-Type', 'application/merge-patch+json'));
  }
  function follow(plural, prefix, list, finish) {
    const informer = k8s.makeInformer(config, `${prefix}/namespaces/${namespace}/${plural}`, list);
    // A conflict means that there is a newer state, of which the next event tells.
    const handle = (body) => body.metadata.deletionTimestamp === undefined && finish(body).catch((error) => {
      if (error.code !== 409 && error.code !== 404) console.error(`${plural}: ${error.message}`);
    });
    informer.on('add', handle);
    informer.on('update', handle);
    informer.on('error', () => setTimeout(() => stopped || informer.start(), 500).unref());
    return informer;
  }
  let stopped = false;
  for (const informer of informers) await informer.start();
  return {
    stop() {
      stopped = true;
      for (const informer of informers) informer.stop();
    },
  };
}
