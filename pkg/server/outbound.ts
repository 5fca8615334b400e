import { readFileSync } from 'node:fs';
import type { WebhookCalls } from '../admission/index.js';
import type { World } from '../base/index.js';
import { type Config, ConfigError } from '../config/index.js';
import {
  type CertificateMetrics,
  type ClientMetrics,
  type EgressMetrics,
  egressDialers,
  KubeconfigError,
  Outbound,
  OutboundKubeconfig,
  type WebhookClientParts,
  WebhookClients,
} from '../outbound/index.js';
import { readEgress } from './egressfile.js';

/** Creates the outgoing calls of a server, through the proxies of `--egress-selector-config-file`. */
export async function openOutbound(
  { outbound: { egressFile } }: Config,
  world: World,
  metrics: EgressMetrics,
  certificates: CertificateMetrics,
  calls: ClientMetrics,
): Promise<Outbound> {
  if (egressFile === '') return new Outbound({ world, certificates, calls });
  const selections = await readEgress(egressFile);
  if (selections === undefined) return new Outbound({ world, certificates, calls });
  const networks = new Set(selections.keys());
  return new Outbound({ world, certificates, calls, networks, egress: egressDialers(selections, world, metrics) });
}

export interface WebhookCallParts extends Pick<WebhookClientParts, 'world' | 'outbound' | 'resolve'> {
  readonly metrics: WebhookCalls['metrics'];
  readonly note: WebhookCalls['note'];
  /** Files with credentials, by plug-in; '' for none. */
  readonly kubeconfigs: Readonly<Record<string, string>>;
}

/** The calls of the two webhook plug-ins: each uses the credentials of its kubeconfig. */
export function webhookCalls(parts: WebhookCallParts): Readonly<Record<'mutating' | 'validating', WebhookCalls>> {
  const { world, outbound, resolve, metrics, note, kubeconfigs } = parts;
  const calls = (plugin: string): WebhookCalls => {
    const file = kubeconfigs[plugin] ?? '';
    const kubeconfig = file === '' ? undefined : outboundKubeconfig(file);
    const credentials = kubeconfig === undefined ? {} : { credentials: (to: string) => kubeconfig.credentialsFor(to) };
    return { clients: new WebhookClients({ world, outbound, resolve, ...credentials }), metrics, note };
  };
  return { mutating: calls('MutatingAdmissionWebhook'), validating: calls('ValidatingAdmissionWebhook') };
}

/** Reads a kubeconfig for outgoing calls of the server. Throws `ConfigError`. */
export function outboundKubeconfig(file: string): OutboundKubeconfig {
  try {
    return new OutboundKubeconfig({ file, read: (path) => readFileSync(path, 'utf8') });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new ConfigError(`kubeconfig ${error.message}`);
    throw error;
  }
}
