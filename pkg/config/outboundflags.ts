import type { Flag } from './flag.js';

/** Flags of connections that the server makes, as kube-apiserver names them. */
export const OUTBOUND_FLAGS = [
  {
    name: 'egress-selector-config-file',
    kind: 'string',
    default: '',
    group: 'API',
    value: 'FILE',
    help: 'EgressSelectorConfiguration: proxies through which the server reaches webhooks and other servers.',
  },
  {
    name: 'enable-aggregator-routing',
    kind: 'boolean',
    default: 'false',
    group: 'API',
    value: 'BOOL',
    help: 'Services are reached at the addresses of their endpoints instead of the cluster IP.',
  },
] as const satisfies readonly Flag[];
