import { CounterFamily } from '../telemetry/index.js';

/** What is outdated about the certificate of a server: no subject alternative name, or a signature with SHA-1. */
export type CertificateFault = 'missingSan' | 'insecureSha1';

/** Who calls a server, for the counters of outdated certificates. */
export type CallPurpose = 'webhook' | 'aggregation';

const PREFIXES: Readonly<Record<CallPurpose, string>> = {
  webhook: 'apiserver_webhooks',
  aggregation: 'apiserver_kube_aggregator',
};

/** Counts calls that failed because the certificate of the server is outdated, with the metrics of kube-apiserver. */
export class CertificateMetrics {
  readonly families: readonly CounterFamily[];
  readonly #counters = new Map<string, { value: number }>();

  constructor() {
    const counter = (purpose: CallPurpose, fault: CertificateFault, name: string, help: string): CounterFamily => {
      const family = new CounterFamily({ name: `${PREFIXES[purpose]}_${name}`, help }, []);
      this.#counters.set(`${purpose} ${fault}`, family.at());
      return family;
    };
    this.families = (['webhook', 'aggregation'] as const).flatMap((purpose) => [
      counter(
        purpose,
        'missingSan',
        'x509_missing_san_total',
        'Counts the number of requests to servers missing SAN extension in their serving certificate OR the number of connection failures due to the lack of x509 certificate SAN extension missing (either/or, based on the runtime environment)',
      ),
      counter(
        purpose,
        'insecureSha1',
        'x509_insecure_sha1_total',
        'Counts the number of requests to servers with insecure SHA1 signatures in their serving certificate OR the number of connection failures due to the insecure SHA1 signatures (either/or, based on the runtime environment)',
      ),
    ]);
  }

  failed(purpose: CallPurpose, fault: CertificateFault): void {
    const counter = this.#counters.get(`${purpose} ${fault}`);
    if (counter !== undefined) counter.value++;
  }
}
