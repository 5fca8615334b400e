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
  {
    name: 'kubelet-certificate-authority',
    kind: 'string',
    default: '',
    group: 'API',
    value: 'FILE',
    help: "Authorities of the kubelets' serving certificates; without it they are not verified.",
  },
  {
    name: 'kubelet-client-certificate',
    kind: 'string',
    default: '',
    group: 'API',
    value: 'FILE',
    help: 'Client certificate for kubelets; default: one that the server issues in <data-dir>/pki.',
  },
  {
    name: 'kubelet-client-key',
    kind: 'string',
    default: '',
    group: 'API',
    value: 'FILE',
    help: 'Key of that certificate.',
  },
  {
    name: 'kubelet-preferred-address-types',
    kind: 'string',
    default: 'Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP',
    group: 'API',
    value: 'TYPE,...',
    help: 'Types of node addresses by which kubelets are reached, the preferred ones first.',
  },
  {
    name: 'kubelet-timeout',
    kind: 'duration',
    default: '5s',
    group: 'API',
    value: 'DURATION',
    help: 'Time to connect to a kubelet.',
  },
] as const satisfies readonly Flag[];
