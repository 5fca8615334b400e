import { isObject, type JsonObject } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import { jsonText, partialMetadata } from '../codec/index.js';
import type { Representation } from './requests.js';
import type { ServedResource } from './servedresources.js';
import { parseStored } from './stored.js';

/** The metadata of objects as `PartialObjectMetadata`: responses of that form, and objects in the rows of Tables. */

type MetaVersion = Representation['metaVersion'];

export function metadataOnly(resource: ServedResource, o: JsonObject, metaVersion: MetaVersion): JsonObject {
  const metadata = isObject(o['metadata']) ? o['metadata'] : {};
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: withoutHidden(metadata, resource.declaration.hiddenAnnotations),
  };
}

/** `metadataOnly` of a stored object, as JSON without a line break. It is cut out of the stored bytes if it has all of the metadata. */
export function metadataJson(resource: ServedResource, stored: StoredObject, metaVersion: MetaVersion): Buffer {
  const whole = partialMetadata(stored.json, metaVersion);
  if (resource.declaration.hiddenAnnotations.length === 0) return whole;
  return Buffer.from(jsonText(metadataOnly(resource, parseStored(whole), metaVersion)));
}

function withoutHidden(metadata: JsonObject, hidden: readonly string[]): JsonObject {
  const { annotations, ...others } = metadata;
  if (!isObject(annotations) || !hidden.some((name) => name in annotations)) return metadata;
  const shown = Object.entries(annotations).filter(([name]) => !hidden.includes(name));
  return shown.length === 0 ? others : { ...metadata, annotations: Object.fromEntries(shown) };
}
