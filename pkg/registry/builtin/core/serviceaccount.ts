import type { Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { at, keysOf, objectsAt } from '../access.js';
import type { ClusterConfig } from '../cluster.js';
import { versions } from '../form.js';
import { AGE, age, table } from '../table.js';
import { tokenSubresource } from './tokenrequest.js';

export const serviceAccount = (cluster: ClusterConfig): ResourceDeclaration<shapes.CoreV1ServiceAccount> => ({
  group: '',
  resource: 'serviceaccounts',
  singular: 'serviceaccount',
  kind: 'ServiceAccount',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  shortNames: ['sa'],
  subresources: { token: tokenSubresource(cluster) },
  strategy: {
    create: { prepare: namesOnly },
    update: { generation: 'none', prepare: namesOnly },
    warn: mountableWarning,
    deletion: { returnsObject: true },
    compatibility: { checksUpdateLikeNew: true },
  },
  table: table([AGE], (o, now) => [age(o, now)]),
});

/** Secrets are referred to by name only, because they are in the same namespace. */
function namesOnly(o: Shaped<shapes.CoreV1ServiceAccount>): void {
  for (const secret of objectsAt(o, 'secrets'))
    for (const field of keysOf(secret)) if (field !== 'name') delete secret[field];
}

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';

function mountableWarning(
  o: Shaped<shapes.CoreV1ServiceAccount>,
  old: Shaped<shapes.CoreV1ServiceAccount> | undefined,
  context: WriteContext,
): void {
  const [now, before] = [o, old].map((account) => at(account, 'metadata', 'annotations', MOUNTABLE));
  if (now === undefined || before !== undefined) return;
  context.warn(
    `metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  );
}
