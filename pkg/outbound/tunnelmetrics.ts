import { status } from '@grpc/grpc-js';
import { TUNNEL_PACKETS } from '../../proto/index.js';
import { CounterFamily } from '../telemetry/index.js';

/** Why a dial failed after the proxy was reached. */
export type DialFailure = 'context' | 'dialclosed' | 'endpoint' | 'tunnelclosed';

type ConnectionStatus = 'created' | 'dialing' | 'ok' | 'closing';

const PREFIX = 'konnectivity_network_proxy_client_';

/** The metrics of the client of konnectivity proxies, with its names. */
export class TunnelMetrics {
  readonly #packets = new CounterFamily(
    { name: `${PREFIX}stream_packets_total`, help: 'Packets to and from konnectivity proxies.' },
    ['segment', 'packet_type'],
  );
  readonly #errors = new CounterFamily(
    { name: `${PREFIX}stream_errors_total`, help: 'gRPC streams to konnectivity proxies that failed.' },
    ['segment', 'code', 'packet_type'],
  );
  readonly #failures = new CounterFamily(
    { name: `${PREFIX}dial_failure_total`, help: 'Dials through konnectivity proxies that failed, by reason.' },
    ['reason'],
  );
  readonly #connections = new CounterFamily(
    { name: `${PREFIX}client_connections`, help: 'Open connections to konnectivity proxies, by status.' },
    ['status'],
    'gauge',
  );

  get families(): readonly CounterFamily[] {
    return [this.#packets, this.#errors, this.#failures, this.#connections];
  }

  /** Begins to count a connection. */
  opened(): CountedConnection {
    return new CountedConnection((status) => this.#connections.at(status));
  }

  packet(segment: 'from_client' | 'to_client', type: number): void {
    this.#packets.at(segment, PACKET_TYPES[type] ?? String(type)).value++;
  }

  /** `code`: that of gRPC. */
  streamFailed(code: number | undefined): void {
    this.#errors.at('to_client', goCode(code ?? status.UNKNOWN), 'Unknown').value++;
  }

  dialFailed(reason: DialFailure): void {
    this.#failures.at(reason).value++;
  }
}

/** One connection in the gauge of connections. */
export class CountedConnection {
  readonly #cellOf: (status: ConnectionStatus) => { value: number };
  #cell: { value: number } | undefined;
  #isOver = false;

  constructor(cellOf: (status: ConnectionStatus) => { value: number }) {
    this.#cellOf = cellOf;
    this.is('created');
  }

  /** Without effect after the end. */
  is(now: ConnectionStatus): void {
    if (this.#isOver) return;
    this.#leave();
    this.#cell = this.#cellOf(now);
    this.#cell.value++;
  }

  /** May be called more than once. */
  ended(): void {
    this.#leave();
    this.#isOver = true;
  }

  #leave(): void {
    if (this.#cell !== undefined) this.#cell.value--;
    this.#cell = undefined;
  }
}

const PACKET_TYPES: Readonly<Record<number, string>> = {
  [TUNNEL_PACKETS.dialRequest]: 'DIAL_REQ',
  [TUNNEL_PACKETS.dialResponse]: 'DIAL_RSP',
  [TUNNEL_PACKETS.closeRequest]: 'CLOSE_REQ',
  [TUNNEL_PACKETS.closeResponse]: 'CLOSE_RSP',
  [TUNNEL_PACKETS.data]: 'DATA',
  [TUNNEL_PACKETS.closeDial]: 'DIAL_CLS',
};

/** The name of a code in Go: `DeadlineExceeded`. */
function goCode(code: number): string {
  if (code === status.CANCELLED) return 'Canceled';
  const words = (status[code] ?? 'UNKNOWN').split('_');
  return words.map((word) => word[0] + word.slice(1).toLowerCase()).join('');
}
