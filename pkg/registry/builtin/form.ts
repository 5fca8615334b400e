import {
  type AnyFields,
  cloneJson,
  type FieldErrors,
  type FieldOf,
  FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  removeField,
} from '../../api/index.js';
import type { DeclaredVersion, Strategy, Subresource, WriteContext } from '../resource.js';
import { at, textAt } from './access.js';

/** Helpers that many declarations share: strategies for spec and status, and `scale`. */

/** Versions of the resource's own group: `versions('v1', 'v1beta1')`. */
export function versions(...names: readonly string[]): readonly DeclaredVersion[] {
  return names.map((version) => ({ version }));
}

/** Copies `field` from `old`; deletes it when `old` does not have it. */
export function keep<O extends JsonObject>(field: FieldOf<O>, o: O, old: JsonObject): void {
  const target: JsonObject = o;
  const v = old[field];
  if (v === undefined) removeField(target, field);
  else target[field] = cloneJson(v);
}

/** The strategy of a kind whose status only the status subresource writes: create clears the status, update keeps the old one. */
export function withStatus<T = AnyFields>(strategy: Strategy<NoInfer<T>>): Strategy<T> {
  return {
    ...strategy,
    create: {
      ...strategy.create,
      prepare: (o, context) => {
        delete (o as JsonObject)['status'];
        return strategy.create?.prepare?.(o, context);
      },
    },
    update: {
      generation: 'spec',
      resetFields: [['status']],
      ...strategy.update,
      prepare: (o, old, context) => {
        keep<JsonObject>('status', o, old);
        return strategy.update?.prepare?.(o, old, context);
      },
    },
  };
}

/** The `status` subresource: keeps every field of the old object except status and metadata. */
export function statusSubresource<T = AnyFields>(strategy: Strategy<NoInfer<T>> = {}): Subresource<T> {
  return {
    verbs: ['get', 'patch', 'update'],
    behaviour: {
      kind: 'status',
      strategy: {
        ...strategy,
        update: {
          generation: 'none',
          resetFields: [['spec']],
          ...strategy.update,
          prepare: (o, old, context) => {
            for (const field of new Set([...Object.keys(o), ...Object.keys(old)])) {
              if (!PARTS_OF_A_STATUS_WRITE.has(field)) keep<JsonObject>(field, o, old);
            }
            return strategy.update?.prepare?.(o, old, context);
          },
        },
      },
    },
  };
}

/**
 * The `status` subresource of the newer kinds: a write of the status does not change labels, annotations, finalizers or owners, and
 * server-side apply owns neither them nor the spec. With `allMetadata` it changes nothing of the metadata.
 */
export function statusAlone<T = AnyFields>(
  strategy: Strategy<NoInfer<T>> = {},
  { allMetadata = false }: { readonly allMetadata?: boolean } = {},
): Subresource<T> {
  return statusSubresource<T>({
    ...strategy,
    update: {
      resetFields: [['metadata'], ['spec']],
      ...strategy.update,
      prepare: (o, old, context) => {
        keepMetadata(o as JsonObject, old as JsonObject, allMetadata);
        return strategy.update?.prepare?.(o, old, context);
      },
    },
  });
}

/** The storage of some subresources in kube-apiserver makes no Tables. */
export const withoutTable = <T>(subresource: Subresource<T>): Subresource<T> => ({
  ...subresource,
  withoutTable: true,
});

const PARTS_OF_A_STATUS_WRITE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** Keeps the old labels: a status update of a workload may not change them. */
export function keepLabels(o: JsonObject, old: JsonObject, _context: WriteContext): void {
  const meta = o['metadata'];
  const before = old['metadata'];
  if (!isObject(meta) || !isObject(before)) return;
  keep('labels', meta, before);
}

/** Keeps the old metadata, which a status update of the newer kinds may not change. */
function keepMetadata(o: JsonObject, old: JsonObject, all: boolean): void {
  const meta = o['metadata'];
  const before = old['metadata'];
  if (!isObject(meta) || !isObject(before)) return;
  const fields = all ? new Set([...Object.keys(meta), ...Object.keys(before)]) : KEPT_METADATA;
  for (const field of fields) if (!SERVER_METADATA.has(field)) keep(field, meta, before);
}

/** Metadata that every write changes. */
const SERVER_METADATA: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion']);

const KEPT_METADATA = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'];

/** `autoscaling/v1 Scale` built from `spec.replicas`, `status.replicas` and the selector as text. */
export function scaleSubresource(selector: (whole: JsonObject) => string): Subresource {
  return {
    verbs: ['get', 'patch', 'update'],
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    behaviour: {
      kind: 'scale',
      replicasPath: ['spec', 'replicas'],
      read: (whole) => {
        const meta = at(whole, 'metadata');
        const text = selector(whole);
        return {
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          metadata: isObject(meta)
            ? pick(meta, ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'])
            : {},
          spec: replicas(at(whole, 'spec', 'replicas')),
          status: { replicas: at(whole, 'status', 'replicas') ?? 0, ...(text === '' ? {} : { selector: text }) },
        };
      },
      write: (whole, view, errors: FieldErrors) => {
        const wanted = at(view, 'spec', 'replicas') ?? 0;
        if (typeof wanted !== 'number' || wanted < 0) {
          errors.invalid(FieldPath.of('spec', 'replicas'), wanted, 'must be greater than or equal to 0');
          return;
        }
        const spec = whole['spec'];
        if (isObject(spec)) spec['replicas'] = wanted;
      },
    },
  };
}

function replicas(v: JsonValue | undefined): JsonObject {
  return v === undefined || v === 0 ? {} : { replicas: v };
}

function pick(o: JsonObject, names: readonly string[]): JsonObject {
  const out: JsonObject = {};
  for (const name of names) if (o[name] !== undefined) out[name] = o[name];
  return out;
}

/** A label selector as text, sorted by key: `app=x,tier in (a,b)`. */
export function selectorText(selector: JsonValue | undefined): string {
  if (!isObject(selector)) return '';
  const parts: string[] = [];
  const labels = selector['matchLabels'];
  if (isObject(labels)) for (const k of Object.keys(labels)) parts.push(`${k}=${String(labels[k])}`);
  for (const e of Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : []) {
    const key = textAt(e, 'key');
    const values = isObject(e) && Array.isArray(e['values']) ? e['values'].map(String).sort().join(',') : '';
    switch (textAt(e, 'operator')) {
      case 'In':
        parts.push(`${key} in (${values})`);
        break;
      case 'NotIn':
        parts.push(`${key} notin (${values})`);
        break;
      case 'Exists':
        parts.push(key);
        break;
      case 'DoesNotExist':
        parts.push(`!${key}`);
        break;
    }
  }
  return parts.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)).join(',');
}

const sortKey = (part: string): string => part.replace(/^!/, '').split(/[= ]/, 1)[0]!;

/** A plain label map as text: `a=b,c=d`, keys sorted. */
export function labelsText(labels: JsonValue | undefined): string {
  if (!isObject(labels)) return '';
  return Object.keys(labels)
    .sort()
    .map((k) => `${k}=${String(labels[k])}`)
    .join(',');
}
