import { CounterFamily, HistogramFamily } from '../telemetry/index.js';

const LATENCIES = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const SIZES = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/** The outcome of one call; without a response it failed. */
export interface ClientCall {
  readonly host: string;
  readonly method: string;
  readonly seconds: number;
  readonly requestBytes: number;
  readonly response: { readonly status: number; readonly bytes: number } | undefined;
}

/** Counts the requests that this server sends to others, with the metrics of client-go. */
export class ClientMetrics {
  readonly #requests = new CounterFamily(
    {
      name: 'rest_client_requests_total',
      help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    },
    ['code', 'host', 'method'],
  );
  readonly #latencies = new HistogramFamily(
    {
      name: 'rest_client_request_duration_seconds',
      help: 'Request latency in seconds. Broken down by verb, and host.',
    },
    ['host', 'verb'],
    LATENCIES,
  );
  readonly #requestSizes = new HistogramFamily(
    { name: 'rest_client_request_size_bytes', help: 'Request size in bytes. Broken down by verb and host.' },
    ['host', 'verb'],
    SIZES,
  );
  readonly #responseSizes = new HistogramFamily(
    { name: 'rest_client_response_size_bytes', help: 'Response size in bytes. Broken down by verb and host.' },
    ['host', 'verb'],
    SIZES,
  );

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [this.#requests, this.#latencies, this.#requestSizes, this.#responseSizes];
  }

  sent({ host, method, seconds, requestBytes, response }: ClientCall): void {
    this.#requests.at(response === undefined ? '<error>' : String(response.status), host, method).value++;
    this.#latencies.observe(this.#latencies.at(host, method), seconds);
    this.#requestSizes.observe(this.#requestSizes.at(host, method), requestBytes);
    if (response !== undefined) this.#responseSizes.observe(this.#responseSizes.at(host, method), response.bytes);
  }
}
