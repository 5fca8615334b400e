import type { ExpositionFormat } from '../telemetry/index.js';
import { parseAccept } from './negotiate.js';

/** A format of metrics, and the content type that names it. */
export interface MetricsFormat {
  readonly format: ExpositionFormat;
  readonly contentType: string;
}

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const PROTOBUF = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited';

/** How a client wants names to be written that have other characters than letters, digits and `_`. No name here has any. */
const ESCAPINGS: ReadonlySet<string> = new Set(['allow-utf-8', 'underscores', 'dots', 'values']);

/** The format for an Accept header, as in kube-apiserver and etcd: text, unless the client prefers protobuf messages with their lengths. */
export function metricsFormat(accept: string | undefined): MetricsFormat {
  let escaping = 'underscores';
  const answer = (format: ExpositionFormat, type: string): MetricsFormat => ({
    format,
    contentType: `${type}; escaping=${escaping}`,
  });
  for (const { type, subtype, parameters } of parseAccept(accept ?? '')) {
    const wanted = parameters.get('escaping');
    if (wanted !== undefined && ESCAPINGS.has(wanted)) escaping = wanted;
    if (type === 'text' && subtype === 'plain' && ['0.0.4', ''].includes(parameters.get('version') ?? '')) break;
    const isMetrics = parameters.get('proto') === 'io.prometheus.client.MetricFamily';
    const isDelimited = parameters.get('encoding') === 'delimited';
    if (type === 'application' && subtype === 'vnd.google.protobuf' && isMetrics && isDelimited)
      return answer('protobuf', PROTOBUF);
  }
  return answer('text', TEXT);
}
