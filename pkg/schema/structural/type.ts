import type { GroupVersionKind, JsonObject } from '../../api/index.js';
import type { KindSchema } from '../kinds.js';
import type { StructSchema } from '../types.js';
import { compileStructuralSchema } from './compile.js';
import { objectFields } from './objectfields.js';

/**
 * A version of a custom resource. Its schema (`openAPIV3Schema` of the definition) must be valid. It is compiled at first use, because
 * thousands of definitions may be installed and few of them used.
 */
export function customKind(
  gvk: GroupVersionKind,
  options: { readonly listKind: string; readonly namespaced: boolean; readonly schema: JsonObject },
): KindSchema {
  const { group, version, kind } = gvk;
  const type = `${group}/${version}.${kind}`;
  let structural: StructSchema | undefined;
  return {
    info: {
      group,
      version,
      kind,
      package: `${group}/${version}`,
      type,
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
      structural ??= compileStructuralSchema(options.schema, type);
      return structural;
    },
  };
}

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
