import type { Config, KubeletConfig } from '../config/index.js';
import type { Backends } from '../http/index.js';
import type { Credentials, Outbound, OutboundTarget } from '../outbound/index.js';
import type { Backend } from '../registry/index.js';
import { givenAuthorities, givenText } from './given.js';

type Certificate = Credentials['certificate'];

export interface BackendsParts {
  readonly config: Config;
  readonly outbound: Outbound;
  /** The certificate of the server for kubelets, unless a flag names another. */
  readonly kubeletClient: () => Certificate;
}

/**
 * The connections to kubelets, pods and services, through the network `cluster`. Kubelets get the server's client certificate. As in
 * kube-apiserver their own certificates are verified only if a flag names authorities, and those of pods and services never.
 */
export function openBackends({ config, outbound, kubeletClient }: BackendsParts): Backends {
  const { kubelets } = config.outbound;
  const given = kubelets.client && givenPair(kubelets.client);
  const ca = kubelets.caFile && givenAuthorities({ flag: 'kubelet-certificate-authority', path: kubelets.caFile });
  const targetOf = ({ origin, isKubelet, insecure = false }: Backend): OutboundTarget => {
    const place = { origin, network: 'cluster', http2: false } as const;
    if (!isKubelet) return { ...place, insecure: true };
    const certificate = given ?? kubeletClient();
    return {
      ...place,
      dialTime: kubelets.dialTime,
      insecure: insecure || ca === '',
      ...(ca === '' ? {} : { ca }),
      ...(certificate === undefined ? {} : { credentials: { certificate } }),
    };
  };
  return {
    addressTypes: kubelets.addressTypes,
    open: (backend, request) => outbound.open(targetOf(backend), request),
    upgrade: (backend, request) => outbound.upgrade(targetOf(backend), request),
  };
}

function givenPair({ certFile, keyFile }: NonNullable<KubeletConfig['client']>): Certificate {
  return {
    cert: givenText({ flag: 'kubelet-client-certificate', path: certFile }),
    key: givenText({ flag: 'kubelet-client-key', path: keyFile }),
  };
}
