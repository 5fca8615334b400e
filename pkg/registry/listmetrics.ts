import { type Cell, CounterFamily } from '../telemetry/index.js';

/** Where a list read its objects: in memory, or in the history of the store. The labels are those of kube-apiserver. */
export type ListSource = 'watchcache' | 'etcd';

/** What a list did. */
export interface ListWork {
  readonly fetched: number;
  /** Objects on which selectors were tested. */
  readonly evaluated: number;
  readonly returned: number;
}

interface Cells extends Readonly<Record<keyof ListWork, Cell>> {
  readonly total: Cell;
}

const READ_LABELS = ['group', 'resource', 'index', 'storage'];
const PLAIN_LABELS = ['group', 'resource', 'storage'];

/** Metrics of the work of lists. Every list of a kind looks at a range of keys: no index is used. */
export class ListMetrics {
  readonly #total = family('total', 'Lists.', READ_LABELS);
  readonly #fetched = family('fetched_objects_total', 'Objects that lists read.', READ_LABELS);
  readonly #evaluated = family(
    'evaluated_objects_total',
    'Objects on which lists tested their selectors.',
    PLAIN_LABELS,
  );
  readonly #returned = family('returned_objects_total', 'Objects that lists returned.', PLAIN_LABELS);
  readonly #cells = new Map<string, Cells>();

  get families(): readonly CounterFamily[] {
    return [this.#total, this.#fetched, this.#evaluated, this.#returned];
  }

  listed(
    { group, resource }: { readonly group: string; readonly resource: string },
    source: ListSource,
    { fetched, evaluated, returned }: ListWork,
  ): void {
    const key = `${group}/${resource} ${source}`;
    let cells = this.#cells.get(key);
    if (cells === undefined) {
      cells = {
        total: this.#total.at(group, resource, '', source),
        fetched: this.#fetched.at(group, resource, '', source),
        evaluated: this.#evaluated.at(group, resource, source),
        returned: this.#returned.at(group, resource, source),
      };
      this.#cells.set(key, cells);
    }
    cells.total.value++;
    cells.fetched.value += fetched;
    cells.evaluated.value += evaluated;
    cells.returned.value += returned;
  }
}

const family = (name: string, help: string, labels: readonly string[]): CounterFamily =>
  new CounterFamily({ name: `apiserver_storage_list_${name}`, help }, labels);
