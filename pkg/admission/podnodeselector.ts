import {
  type AdmissionRequest,
  type AdmissionStep,
  errors,
  getOwn,
  type JsonObject,
  objectAt,
  objectIn,
  type StoredObjects,
} from '../api/index.js';
import { forbidden, newPod } from './step.js';

const NAMESPACES = { group: '', resource: 'namespaces' } as const;
const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
/** The entry for namespaces without the annotation. */
export const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';

export type Selector = Readonly<Record<string, string>>;

/** Selectors by namespace, and the cluster default: the labels that pods of a namespace may select. */
export type NodeSelectors = Readonly<Record<string, Selector>>;

/** Adds the node selector of a namespace to its pods, and rejects pods whose own selector conflicts with it. */
export function podNodeSelectorStep(objects: StoredObjects, selectors: NodeSelectors = {}): AdmissionStep {
  const check = async (request: AdmissionRequest, pod: JsonObject): Promise<Selector> => {
    const wanted = await selectorOf(request, objects, selectors);
    const own = objectAt(pod, 'spec', 'nodeSelector');
    if (Object.keys(wanted).some((key) => Object.hasOwn(own, key) && own[key] !== wanted[key]))
      throw forbidden(request, 'pod node label selector conflicts with its namespace node label selector');
    return wanted;
  };
  const checkAllowed = (request: AdmissionRequest, pod: JsonObject): void => {
    const allowed = selectors[request.namespace] ?? {};
    if (Object.keys(allowed).length === 0) return;
    for (const [key, value] of Object.entries(objectAt(pod, 'spec', 'nodeSelector')))
      if (allowed[key] !== value)
        throw forbidden(request, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    mutate: async (request) => {
      const pod = newPod(request);
      if (pod === undefined) return;
      const wanted = await check(request, pod);
      const own = objectAt(pod, 'spec', 'nodeSelector');
      const merged = { ...wanted, ...own };
      if (Object.keys(merged).length > 0) objectIn(pod, 'spec')['nodeSelector'] = merged;
      checkAllowed(request, pod);
    },
    validate: async (request) => {
      const pod = newPod(request);
      if (pod === undefined) return;
      await check(request, pod);
      checkAllowed(request, pod);
    },
  };
}

async function selectorOf(
  { namespace }: AdmissionRequest,
  objects: StoredObjects,
  selectors: NodeSelectors,
): Promise<Selector> {
  const found = await objects.get(NAMESPACES, '', namespace);
  if (found === undefined) throw errors.notFound(NAMESPACES, namespace);
  const annotation = getOwn(objectAt(found, 'metadata', 'annotations'), ANNOTATION);
  if (typeof annotation !== 'string') return selectors[CLUSTER_DEFAULT] ?? {};
  const selector = parseSelector(annotation);
  if (selector === undefined) throw errors.internal(`invalid selector: [${annotation}]`);
  return selector;
}

/** Parses `a=b,c=d`; undefined for other text. */
export function parseSelector(text: string): Selector | undefined {
  const selector: Record<string, string> = {};
  if (text.trim() === '') return selector;
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    if (at < 0) return undefined;
    const value = part.slice(at + 1).trim();
    if (value.includes('=')) return undefined;
    selector[part.slice(0, at).trim()] = value;
  }
  return selector;
}
