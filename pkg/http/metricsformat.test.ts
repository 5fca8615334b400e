import { expect, it } from 'vitest';
import { metricsFormat } from './metricsformat.js';

const DELIMITED = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';
/** The headers of Prometheus 2 with native histograms, and of Prometheus 3. */
const PROMETHEUS_2 = `${DELIMITED},application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`;
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

// The answers of kube-apiserver 1.37.2.
it.each<[string | undefined, 'text' | 'protobuf', string]>([
  [undefined, 'text', 'underscores'],
  ['', 'text', 'underscores'],
  ['*/*', 'text', 'underscores'],
  ['application/json', 'text', 'underscores'],
  ['text/plain', 'text', 'underscores'],
  ['application/openmetrics-text;version=1.0.0', 'text', 'underscores'],
  [DELIMITED, 'protobuf', 'underscores'],
  [DELIMITED.replaceAll(';', '; '), 'protobuf', 'underscores'],
  [PROMETHEUS_2, 'protobuf', 'underscores'],
  [PROMETHEUS_3, 'text', 'allow-utf-8'],
  [`${DELIMITED};q=0.7,text/plain;version=0.0.4;q=0.3`, 'protobuf', 'underscores'],
  [`${DELIMITED};q=0.2,text/plain;version=0.0.4;q=0.3`, 'text', 'underscores'],
  [`text/plain;version=0.0.4, ${DELIMITED}`, 'text', 'underscores'],
  [`${DELIMITED};escaping=allow-utf-8`, 'protobuf', 'allow-utf-8'],
  [`${DELIMITED};escaping=nonsense`, 'protobuf', 'underscores'],
  ['application/vnd.google.protobuf', 'text', 'underscores'],
  [DELIMITED.replace('io.prometheus.client.MetricFamily', 'foo'), 'text', 'underscores'],
])('%s gets %s, names with %s', (accept, format, escaping) => {
  const type =
    format === 'text'
      ? 'text/plain; version=0.0.4; charset=utf-8'
      : 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited';
  expect(metricsFormat(accept)).toEqual({ format, contentType: `${type}; escaping=${escaping}` });
});
