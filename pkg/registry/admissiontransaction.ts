import type { JsonObject, TxnAddition } from '../api/index.js';
import { revision } from '../base/index.js';
import { encodeStored } from '../codec/index.js';
import type { Compare, Op } from '../storage/index.js';
import { putOp } from './commit.js';
import { type Core, collectionOf, keyOf } from './core.js';
import { storedResource } from './lookup.js';
import { metaOf, text } from './meta.js';
import type { TxnPart } from './resource.js';
import type { ServedResource } from './servedresources.js';
import { objectTarget, resolveTarget } from './target.js';
import { trackUpdate } from './tracking.js';

/** Collects the additions of several steps as keys and bytes. */
export class TransactionBuilder {
  readonly #core: Core;
  readonly #compares: Compare[] = [];
  readonly #ops: Op[] = [];
  readonly #settled: (() => void)[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  add({ unchanged = [], write = [], settled }: TxnAddition): void {
    if (settled !== undefined) this.#settled.push(settled);
    for (const { resource, object } of unchanged) this.#compare(storedResource(this.#core, resource), object);
    for (const { resource, object, subresource } of write) {
      const served = storedResource(this.#core, resource);
      const key = this.#compare(served, object);
      const stored = collectionOf(this.#core, served).get(key);
      const place = { namespace: text(metaOf(object), 'namespace'), name: text(metaOf(object), 'name'), subresource };
      const target = resolveTarget(served, place) ?? objectTarget(served, place.namespace, place.name);
      const live = stored === undefined ? undefined : stored.value();
      if ('rules' in target) trackUpdate(this.#core, target, { live, object, manager: MANAGER });
      this.#ops.push(putOp(this.#core, served, key, encodeStored(served.storage.type.schema, object)));
    }
  }

  settle(): void {
    for (const f of this.#settled) f();
  }

  build(): TxnPart & { readonly settled: () => void } {
    return { compares: this.#compares, ops: this.#ops, settled: () => this.settle() };
  }

  #compare(resource: ServedResource, object: JsonObject): string {
    const meta = metaOf(object);
    const key = keyOf(resource, text(meta, 'namespace'), text(meta, 'name'));
    this.#compares.push({ key, modRevision: revision(Number(text(meta, 'resourceVersion'))) });
    return key;
  }
}

/** The field manager of objects that the server writes together with the object of a request. */
const MANAGER = 'kube-apiserver';
