import { type Flag, parseDuration } from './flag.js';

const RECONCILERS = ['lease', 'none', 'master-count'];

const reconciler = (text: string): string | undefined =>
  RECONCILERS.includes(text) ? undefined : `must be one of ${RECONCILERS.join(', ')}`;

const between =
  (least: number, most: number) =>
  (text: string): string | undefined =>
    Number(text) >= least && Number(text) <= most ? undefined : `must be between ${least} and ${most}`;

const positiveDuration = (text: string): string | undefined =>
  (parseDuration(text) ?? 0) > 0 ? undefined : 'must be more than 0';

/** Signers of certificate requests that may have their own authority. */
export const SIGNERS = ['kubelet-serving', 'kubelet-client', 'kube-apiserver-client', 'legacy-unknown'] as const;

const file = <N extends string>(name: N, help: string) =>
  ({ name, kind: 'string', default: '', group: 'Controllers', value: 'FILE', help }) as const;

/** Flags of the controllers, as kube-controller-manager and kube-apiserver name them. */
export const CONTROLLER_FLAGS = [
  {
    name: 'controllers',
    kind: 'list',
    repeats: true,
    default: '*',
    group: 'Controllers',
    value: 'NAME,...',
    help: 'Controllers to run: * for all that are enabled by default, NAME for one, -NAME to exclude one, -* for none.',
  },
  {
    name: 'endpoint-reconciler-type',
    kind: 'string',
    default: 'lease',
    group: 'Controllers',
    check: reconciler,
    value: 'TYPE',
    help: 'Keeps the endpoints of the Service kubernetes: lease. none does not change them. master-count means lease.',
  },
  {
    name: 'max-endpoints-per-slice',
    kind: 'integer',
    default: '100',
    group: 'Controllers',
    check: between(1, 1000),
    value: 'N',
    help: 'Endpoints in an EndpointSlice of a Service.',
  },
  {
    name: 'mirroring-max-endpoints-per-subset',
    kind: 'integer',
    default: '1000',
    group: 'Controllers',
    check: between(1, 1000),
    value: 'N',
    help: 'Addresses of a subset of Endpoints that are mirrored to EndpointSlices.',
  },
  file('cluster-signing-cert-file', 'Authority that signs certificate requests; empty for the one of this server.'),
  file('cluster-signing-key-file', 'Private key of that authority.'),
  {
    name: 'cluster-signing-duration',
    kind: 'duration',
    default: '8760h',
    group: 'Controllers',
    check: positiveDuration,
    value: 'DURATION',
    help: 'Longest validity of certificates that are signed for requests.',
  },
  file('cluster-signing-kubelet-serving-cert-file', 'Authority of kubernetes.io/kubelet-serving.'),
  file('cluster-signing-kubelet-serving-key-file', 'Private key of that authority.'),
  file('cluster-signing-kubelet-client-cert-file', 'Authority of kubernetes.io/kube-apiserver-client-kubelet.'),
  file('cluster-signing-kubelet-client-key-file', 'Private key of that authority.'),
  file('cluster-signing-kube-apiserver-client-cert-file', 'Authority of kubernetes.io/kube-apiserver-client.'),
  file('cluster-signing-kube-apiserver-client-key-file', 'Private key of that authority.'),
  file('cluster-signing-legacy-unknown-cert-file', 'Authority of kubernetes.io/legacy-unknown.'),
  file('cluster-signing-legacy-unknown-key-file', 'Private key of that authority.'),
] as const satisfies readonly Flag[];
