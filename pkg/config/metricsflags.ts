import { isIP } from 'node:net';
import type { Flag } from './flag.js';

/** An address of `--listen-metrics-urls`. */
export interface MetricsUrl {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
}

/** The check of etcd. UNIX sockets are not supported. */
function wrongUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return `URL scheme must be http or https: ${text}`;
  const authority = text.slice(text.indexOf('//') + 2);
  if (authority.includes('/')) return `URL must not contain a path: ${text}`;
  const { host, port } = addressOf(text);
  if (!DIGITS.test(port) || url.username !== '' || url.search !== '' || url.hash !== '')
    return `URL address does not have the form "host:port": ${text}`;
  return host === 'localhost' || isIP(host) !== 0 ? undefined : `expected IP in URL for binding (${text})`;
}

const DIGITS = /^\d+$/;

/** A URL drops the port that is the default of its scheme, so it is read from the text. */
function addressOf(text: string): { readonly host: string; readonly port: string } {
  const { hostname } = new URL(text);
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const authority = text.slice(text.indexOf('//') + 2);
  return { host, port: authority.slice(authority.lastIndexOf(':') + 1) };
}

export const METRICS_FLAGS = [
  {
    name: 'listen-metrics-urls',
    kind: 'list',
    default: '',
    group: 'Serving',
    check: (text) =>
      text === ''
        ? undefined
        : text
            .split(',')
            .map(wrongUrl)
            .find((wrong) => wrong !== undefined),
    value: 'URL,...',
    help: 'Further URLs for /metrics, /health, /livez and /readyz, for everybody who can reach them. https:// has the serving certificate.',
  },
] as const satisfies readonly Flag[];

/** `urls` have passed the check of the flag. */
export function metricsUrls(urls: readonly string[]): readonly MetricsUrl[] {
  return urls.map((text) => {
    const { host, port } = addressOf(text);
    return { secure: text.startsWith('https:'), host, port: Number(port) };
  });
}
