import type { Flag } from './flag.js';

/** Flags of outgoing connections, with the names of kube-apiserver. */
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
    help: 'Connect to services at the addresses of their endpoints instead of the cluster IP.',
  },
] as const satisfies readonly Flag[];
