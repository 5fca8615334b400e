import { CounterFamily, type Family, HistogramFamily } from '../telemetry/index.js';

/** Whether a client named the value, or the server chose it. */
export type AllocationScope = 'static' | 'dynamic';

const ADDRESSES = 'kube_apiserver_clusterip_allocator_';
const PORTS = 'kube_apiserver_nodeport_allocator_';
/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of the allocation of addresses and node ports for services. Dry runs allocate nothing. */
export class AllocationMetrics {
  readonly #addresses = addressFamily('allocation_total', 'Allocated addresses by how they were chosen.', 'scope');
  readonly #addressErrors = addressFamily('allocation_errors_total', 'Failed allocations of addresses.', 'scope');
  readonly #durations = new HistogramFamily(
    { name: `${ADDRESSES}allocation_duration_seconds`, help: 'Seconds to allocate an address.' },
    ['cidr'],
    BUCKETS,
  );
  readonly #ports = portFamily('allocation_total', 'Allocated node ports by how they were chosen.', 'scope');
  readonly #portErrors = portFamily('allocation_errors_total', 'Failed allocations of node ports.', 'scope');

  get families(): readonly Family[] {
    return [this.#addresses, this.#addressErrors, this.#durations, this.#ports, this.#portErrors];
  }

  addressAllocated(cidr: string, scope: AllocationScope, milliseconds: number): void {
    this.#addresses.at(cidr, scope).value++;
    this.#durations.observe(this.#durations.at(cidr), milliseconds / 1000);
  }

  addressRefused(cidr: string, scope: AllocationScope): void {
    this.#addressErrors.at(cidr, scope).value++;
  }

  portAllocated(scope: AllocationScope): void {
    this.#ports.at(scope).value++;
  }

  portRefused(scope: AllocationScope): void {
    this.#portErrors.at(scope).value++;
  }
}

const addressFamily = (name: string, help: string, label: string): CounterFamily =>
  new CounterFamily({ name: ADDRESSES + name, help }, ['cidr', label]);
const portFamily = (name: string, help: string, label: string): CounterFamily =>
  new CounterFamily({ name: PORTS + name, help }, [label]);
