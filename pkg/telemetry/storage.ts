import { CounterFamily } from './series.js';

/** Statistics of the stored objects at the time of a scrape. */
export interface StorageView {
  readonly resources: Iterable<{ readonly group: string; readonly resource: string; readonly objects: number }>;
  readonly sizeBytes: number;
}

/** Gauges of the stored objects, with the names of kube-apiserver. */
export class StorageMetrics {
  readonly #objects = new CounterFamily(
    { name: 'apiserver_storage_objects', help: 'Stored objects by resource.' },
    ['resource'],
    'gauge',
  );
  readonly #resourceObjects = new CounterFamily(
    { name: 'apiserver_resource_objects', help: 'Stored objects by group and resource.' },
    ['group', 'resource'],
    'gauge',
  );
  readonly #size = new CounterFamily(
    { name: 'apiserver_storage_size_bytes', help: 'Bytes of the store on disk.' },
    ['storage_cluster_id'],
    'gauge',
  );

  get families(): readonly CounterFamily[] {
    return [this.#objects, this.#resourceObjects, this.#size];
  }

  update(view: StorageView): void {
    for (const { group, resource, objects } of view.resources) {
      this.#objects.at(group === '' ? resource : `${resource}.${group}`).value = objects;
      this.#resourceObjects.at(group, resource).value = objects;
    }
    this.#size.at('etcd-0').value = view.sizeBytes;
  }
}
