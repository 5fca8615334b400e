import { CounterFamily, HistogramFamily } from './series.js';

const LATENCIES = Array.from({ length: 15 }, (_, i) => 2 ** i / 1000);

type Verdict = 'allowed' | 'denied';

/** One count and one histogram by mode and decision. */
class Attempts {
  readonly families: readonly [CounterFamily, HistogramFamily];

  constructor(name: string, what: string) {
    this.families = [
      new CounterFamily({ name: `${name}_total`, help: `${what} by mode and decision.` }, ['mode', 'decision']),
      new HistogramFamily(
        { name: `${name}_duration_seconds`, help: `Time of ${what.toLowerCase()} by mode and decision.` },
        ['mode', 'decision'],
        LATENCIES,
      ),
    ];
  }

  observe(mode: string, verdict: Verdict, seconds: number): void {
    const [total, durations] = this.families;
    total.at(mode, verdict).value++;
    durations.observe(durations.at(mode, verdict), seconds);
  }
}

/** Metrics of impersonation, with the names of kube-apiserver. */
export class ImpersonationMetrics {
  /** Requests with impersonation headers. The mode of a denied one is empty, because several were tried. */
  readonly attempts = new Attempts('apiserver_impersonation_attempts', 'Attempts to impersonate');
  /** The permissions that were checked for them. */
  readonly checks = new Attempts(
    'apiserver_impersonation_authorization_attempts',
    'Checks of permissions to impersonate',
  );

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [...this.attempts.families, ...this.checks.families];
  }
}
