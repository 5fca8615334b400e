import { getOwn, goJson, isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import { annotationBytesMax, documentDepthMax } from '../limits.js';
import { nestedDeeper } from '../nesting.js';
import { compareObjects } from './compare.js';
import { difference, type FieldSet } from './field-set.js';
import { fieldsOf } from './to-set.js';
import type { Versioned } from './update.js';
import { typeErrors } from './validate.js';

/** The annotation with the last configuration of client-side apply. */
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the fields of the annotation that still have the applied value. kubectl may take ownership of them without a
 * conflict when it changes to server-side apply. Undefined without a usable annotation.
 */
export function pathsFromLastApplied(live: Versioned): FieldSet | undefined {
  const text = lastAppliedOf(live.value);
  if (text === undefined || text === '') return undefined;
  let last: JsonValue;
  try {
    last = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(last) || nestedDeeper(last, documentDepthMax)) return undefined;
  if (getOwn(last, 'apiVersion') !== live.apiVersion) return undefined;
  if (typeof getOwn(last, 'kind') !== 'string' || typeErrors(last, live.schema) !== undefined) return undefined;
  const { modified, added, removed } = compareObjects(last, live.value, live.schema);
  return difference(difference(difference(fieldsOf(last, live.schema), modified), added), removed);
}

function annotationsOf(o: JsonObject): JsonObject | undefined {
  const metadata = getOwn(o, 'metadata');
  const annotations = isObject(metadata) ? getOwn(metadata, 'annotations') : undefined;
  return isObject(annotations) ? annotations : undefined;
}

function lastAppliedOf(o: JsonObject): string | undefined {
  const annotations = annotationsOf(o);
  const text = annotations === undefined ? undefined : getOwn(annotations, annotation);
  return typeof text === 'string' ? text : undefined;
}

/**
 * Returns the annotations of a merged object with an updated last-applied annotation, which older clients read;
 * undefined if the object has no such annotation. The annotation is removed if the annotations would exceed their size
 * limit.
 */
export function annotationAfterApply(merged: JsonObject, applied: JsonObject): JsonObject | undefined {
  const old = lastAppliedOf(merged);
  if (old === undefined || old === '') return undefined;
  const annotations: JsonObject = { ...annotationsOf(merged), [annotation]: `${goJson(withoutAnnotation(applied))}\n` };
  let bytes = 0;
  for (const key of Object.keys(annotations)) {
    const value = annotations[key];
    bytes += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  }
  if (bytes > annotationBytesMax) delete annotations[annotation];
  return annotations;
}

function withoutAnnotation(o: JsonObject): JsonObject {
  const annotations = annotationsOf(o);
  if (annotations === undefined || !Object.hasOwn(annotations, annotation)) return o;
  const { [annotation]: _, ...rest } = annotations;
  return { ...o, metadata: { ...(o['metadata'] as JsonObject), annotations: rest } };
}
