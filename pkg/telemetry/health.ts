/** The results of health checks, as `/metrics/slis` of kube-apiserver has them. A check has a result for each path that runs it. */
export class HealthResults {
  readonly #checks = new Map<string, Result>();

  /** Counts a check. `type` is the path without its slash, for example `readyz`. */
  observe(type: string, name: string, passed: boolean): void {
    const key = `${name}\n${type}`;
    let result = this.#checks.get(key);
    if (result === undefined) {
      result = { name, type, passed, success: 0, error: 0 };
      this.#checks.set(key, result);
    }
    result.passed = passed;
    result[passed ? 'success' : 'error']++;
  }

  /** Forgets all results. */
  reset(): void {
    this.#checks.clear();
  }

  /** The metrics in the text format (version 0.0.4). Names of checks have no character that needs to be escaped. */
  text(): string {
    const results = [...this.#checks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, result]) => result);
    if (results.length === 0) return '';
    const last = results.map((r) => `kubernetes_healthcheck{name="${r.name}",type="${r.type}"} ${r.passed ? 1 : 0}\n`);
    const totals = results.flatMap((r) =>
      (['error', 'success'] as const)
        .filter((status) => r[status] > 0)
        .map(
          (status) =>
            `kubernetes_healthchecks_total{name="${r.name}",status="${status}",type="${r.type}"} ${r[status]}\n`,
        ),
    );
    return [
      '# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.\n',
      '# TYPE kubernetes_healthcheck gauge\n',
      ...last,
      '# HELP kubernetes_healthchecks_total [STABLE] This metric records the results of all healthcheck.\n',
      '# TYPE kubernetes_healthchecks_total counter\n',
      ...totals,
    ].join('');
  }
}

interface Result {
  readonly name: string;
  readonly type: string;
  passed: boolean;
  success: number;
  error: number;
}
