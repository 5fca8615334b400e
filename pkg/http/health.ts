import type { HealthResults } from '../telemetry/index.js';
import type { Call } from './call.js';
import { PageNotFound } from './pagenotfound.js';
import type { Query } from './requestinfo.js';
import { sendBytes, sendText } from './responses.js';

/**
 * One health check. Returns undefined if it passes, otherwise the reason, for the log and for administrators only; a
 * promise if it calls another process.
 */
export interface HealthCheck {
  readonly name: string;
  check(): string | undefined | Promise<string | undefined>;
}

/** The checks of the three health paths, in the order in which they are shown. */
export interface HealthChecks {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

export type HealthPath = keyof HealthChecks;

/**
 * `/readyz`, `/readyz?verbose`, `/readyz?exclude=NAME`, `/readyz/NAME`. The response is always plain text; its status is 500 when
 * a check fails. An empty `name` runs all checks, and only then their results are counted, as in kube-apiserver.
 */
export async function serveHealth(
  call: Call,
  { health, healthResults }: { readonly health: HealthChecks; readonly healthResults: HealthResults },
  path: HealthPath,
  name: string,
): Promise<void> {
  const all = health[path];
  if (name === '') return answer(call, path, all, healthResults);
  const one = all.find((c) => c.name === name);
  if (one === undefined) throw new PageNotFound();
  const why = await one.check();
  if (why === undefined) return sendBytes(call, 200, 'text/plain; charset=utf-8', Buffer.from('ok'));
  return sendText(call, 500, `internal server error: ${why}\n`);
}

async function answer(
  call: Call,
  path: HealthPath,
  checks: readonly HealthCheck[],
  results: HealthResults,
): Promise<void> {
  const query: Query = call.info.query;
  const excluded = new Set(query.all('exclude'));
  let report = '';
  let failed = false;
  for (const c of checks) {
    if (excluded.delete(c.name)) {
      report += `[+]${c.name} excluded: ok\n`;
      continue;
    }
    const found = c.check();
    const why = found instanceof Promise ? await found : found;
    results.observe(path, c.name, why === undefined);
    if (why === undefined) report += `[+]${c.name} ok\n`;
    else {
      failed = true;
      report += `[-]${c.name} failed: reason withheld\n`;
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((n) => JSON.stringify(n)).join(', ');
    report += `warn: some health checks cannot be excluded: no matches for ${names}\n`;
  }
  if (failed) return sendText(call, 500, `${report}${path} check failed\n`);
  if (!query.has('verbose')) return sendText(call, 200, 'ok');
  return sendText(call, 200, `${report}${path} check passed\n`);
}
