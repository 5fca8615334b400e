import { LAST_USED_LABEL, type SecretUse, type TokenUses } from '../auth/index.js';
import type { World } from '../base/index.js';
import { type Registry, resolveTarget } from '../registry/index.js';
import type { AccessMetrics, Log } from '../telemetry/index.js';

/** Milliseconds for one write. */
const PATIENCE = 30_000;
/** Secrets that are labelled at the same time. The use of others is recorded when they are used again. */
const LABELLED_MAX = 16;

export interface TokenUsesParts {
  readonly registry: Registry;
  readonly world: World;
  readonly metrics: AccessMetrics;
  readonly log: Log;
}

/** Counts the uses of tokens, and labels Secrets with the day of the last use of their token. No request waits for that. */
export function tokenUses({ registry, world, metrics, log }: TokenUsesParts): TokenUses {
  const labelling = new Set<string>();
  const label = async ({ namespace, name, uid, day }: SecretUse): Promise<void> => {
    const served = registry.servedResources.find('', 'v1', 'secrets');
    const target = served === undefined ? undefined : resolveTarget(served, { namespace, name, subresource: '' });
    if (target === undefined) return;
    const patch = { metadata: { uid, labels: { [LAST_USED_LABEL]: day } } };
    await registry.patch(
      {
        target,
        type: 'merge',
        force: false,
        body: { bytes: Buffer.from(JSON.stringify(patch)), encoding: 'json' },
        options: { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore' },
      },
      {
        user: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
        userAgent: 'kube-apiserver/trireme',
        deadline: world.clock.monotonic() + PATIENCE,
        warn: () => {},
        annotate: () => {},
      },
    );
  };
  return {
    used: (kind) => metrics.tokenUsed(kind),
    secretUsed(secret) {
      const key = `${secret.namespace}/${secret.name}`;
      if (labelling.has(key) || labelling.size >= LABELLED_MAX) return;
      labelling.add(key);
      void label(secret)
        .catch((error: Error) =>
          log.warn({ secret: key, problem: error.message }, 'could not label a Secret with the last use of its token'),
        )
        .finally(() => labelling.delete(key));
    },
  };
}
