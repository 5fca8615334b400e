import type { Clock } from '../base/index.js';
import { CounterFamily, HistogramFamily } from '../telemetry/index.js';
import { TunnelMetrics } from './tunnelmetrics.js';

/** Metrics of connections through proxies, with the names of kube-apiserver. */
export class EgressMetrics {
  /** Those of konnectivity proxies. */
  readonly tunnels = new TunnelMetrics();
  readonly #clock: Clock;
  readonly #starts = new CounterFamily(
    { name: 'apiserver_egress_dialer_dial_start_total', help: 'Dials through proxies.' },
    ['protocol', 'transport'],
  );
  readonly #durations = new HistogramFamily(
    {
      name: 'apiserver_egress_dialer_dial_duration_seconds',
      help: 'Seconds of dials through proxies.',
      onlyClassic: true,
    },
    ['protocol', 'transport'],
    [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
  );
  readonly #failures = new CounterFamily(
    {
      name: 'apiserver_egress_dialer_dial_failure_count',
      help: 'Dials through proxies that failed, at the connection to the proxy (connect) or after it (proxy).',
    },
    ['protocol', 'transport', 'stage'],
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [this.#starts, this.#durations, this.#failures, ...this.tunnels.families];
  }

  /** Returns the function that records the end of the dial, with the stage at which it failed. */
  dialStarted(protocol: 'grpc' | 'http_connect', transport: 'tcp' | 'uds'): (failedAt?: 'connect' | 'proxy') => void {
    this.#starts.at(protocol, transport).value++;
    const since = this.#clock.monotonic();
    return (failedAt) => {
      if (failedAt !== undefined) this.#failures.at(protocol, transport, failedAt).value++;
      else this.#durations.observe(this.#durations.at(protocol, transport), (this.#clock.monotonic() - since) / 1000);
    };
  }
}
