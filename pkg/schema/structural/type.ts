import type { GroupVersionKind } from '../../api/index.js';
import type { KindSchema } from '../kinds.js';
import type { StructSchema } from '../types.js';
import { objectFields } from './objectfields.js';

/**
 * A version of a custom resource. `structural` returns its compiled schema (`compileStructuralSchema`); the caller decides how long it is
 * kept, because thousands of definitions may be installed and few of them used.
 */
export function customKind(
  gvk: GroupVersionKind,
  options: { readonly listKind: string; readonly namespaced: boolean; readonly structural: () => StructSchema },
): KindSchema {
  const { group, version, kind } = gvk;
  return {
    info: {
      group,
      version,
      kind,
      package: `${group}/${version}`,
      type: structuralName(gvk),
      scope: options.namespaced ? 'Namespaced' : 'Cluster',
      resource: true,
      listKind: options.listKind,
      subresources: [],
      lifecycle: {},
    },
    get schema() {
      return objectSchema();
    },
    get structural() {
      return options.structural();
    },
  };
}

/** The name of the type of a version. */
export const structuralName = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}.${kind}`;

let anyObject: StructSchema | undefined;

/** The schema of any object: kind, apiVersion and metadata, and unknown fields. */
function objectSchema(): StructSchema {
  if (anyObject === undefined) {
    const fields = objectFields();
    anyObject = {
      kind: 'struct',
      name: 'custom.Object',
      fields,
      byName: new Map(fields.map((f) => [f.name, f])),
      atomic: false,
      preserveUnknown: true,
      embeddedResource: true,
      unions: [],
    };
  }
  return anyObject;
}
