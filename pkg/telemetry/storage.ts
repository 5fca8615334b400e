import { CounterFamily } from './series.js';

/** The objects of one resource in memory. */
export interface StoredResourceView {
  readonly group: string;
  readonly resource: string;
  readonly objects: number;
  /** Bytes of their JSON. */
  readonly bytes: number;
  /** The revision up to which they are known. */
  readonly revision: number;
}

/** Statistics of the stored objects at the time of a scrape. */
export interface StorageView {
  readonly resources: Iterable<StoredResourceView>;
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
  readonly #bytes = new CounterFamily(
    {
      name: 'apiserver_resource_size_estimate_bytes',
      help: 'Bytes of the stored objects as JSON, by group and resource.',
    },
    ['group', 'resource'],
    'gauge',
  );
  readonly #revisions = new CounterFamily(
    {
      name: 'apiserver_watch_cache_resource_version',
      help: 'The resourceVersion up to which the objects of a resource are in memory; its last 15 digits.',
    },
    ['group', 'resource'],
    'gauge',
  );
  readonly #size = new CounterFamily(
    { name: 'apiserver_storage_size_bytes', help: 'Bytes of the store on disk.' },
    ['storage_cluster_id'],
    'gauge',
  );

  get families(): readonly CounterFamily[] {
    return [this.#objects, this.#resourceObjects, this.#bytes, this.#revisions, this.#size];
  }

  update(view: StorageView): void {
    for (const { group, resource, objects, bytes, revision } of view.resources) {
      this.#objects.at(group === '' ? resource : `${resource}.${group}`).value = objects;
      this.#resourceObjects.at(group, resource).value = objects;
      this.#bytes.at(group, resource).value = bytes;
      this.#revisions.at(group, resource).value = revision % 1e15;
    }
    this.#size.at('etcd-0').value = view.sizeBytes;
  }
}
