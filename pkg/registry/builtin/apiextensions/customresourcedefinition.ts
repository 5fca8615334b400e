import { equalJson, formatTime, isObject, type JsonObject, type JsonValue } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { isFormatOf } from '../../../schema/index.js';
import { CREATION_TIME, NAME_COLUMN } from '../../custom/columns.js';
import type { ResourceDeclaration, Strategy, TableColumn, TableDeclaration } from '../../resource.js';
import { at, listAt, nameOf, objectsAt, textAt } from '../access.js';
import { putCondition } from '../conditions.js';
import { keep, statusSubresource, versions, withoutTable } from '../form.js';
import { LIST_TYPE } from './keywords.js';
import { validateAcceptedNames, validateDefinition } from './validation.js';

/** The finalizer that keeps a definition until all its custom resources are deleted. */
const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

const strategy: Strategy = {
  defaults: complete,
  create: {
    prepare: (o) => {
      const stored = objectsAt(o, 'spec', 'versions').find((v) => v['storage'] === true);
      o['status'] = {
        conditions: null,
        acceptedNames: { plural: '', kind: '' },
        storedVersions: stored === undefined ? null : [textAt(stored, 'name')],
      };
    },
    validate: (o, errors) => validateDefinition(o, errors),
  },
  update: {
    allowUnconditional: false,
    resetFields: [['status']],
    generation: (o, old) => !equalJson(o['spec'], old['spec']),
    prepare: (o, old) => {
      keep('status', o, old);
      const stored = objectsAt(o, 'spec', 'versions').find((v) => v['storage'] === true);
      const { status } = o;
      if (stored === undefined || !isObject(status)) return;
      const known = listAt(status, 'storedVersions');
      if (!known.includes(textAt(stored, 'name'))) status['storedVersions'] = [...known, textAt(stored, 'name')];
    },
    validate: (o, old, errors) => validateDefinition(o, errors, old),
  },
  warn: (o, old, context) => {
    if (old !== undefined && equalJson(o['spec'], old['spec'])) return;
    const known = new Set(old === undefined ? [] : schemaWarnings(old));
    for (const text of schemaWarnings(o)) if (!known.has(text)) context.warn(text);
  },
  deletion: {
    mark: (o, { world }) => {
      const meta = o['metadata'];
      if (isObject(meta)) meta['finalizers'] = [...listAt(meta, 'finalizers').filter((f) => f !== CLEANUP), CLEANUP];
      const status: JsonObject = isObject(o['status']) ? o['status'] : {};
      putCondition(status, {
        type: 'Terminating',
        status: 'True',
        lastTransitionTime: formatTime(world.clock.now()),
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      });
      o['status'] = status;
    },
    // A definition is removed when the finalizer that its deletion adds is removed.
    blocked: (o) => textAt(o, 'metadata', 'deletionTimestamp') === '',
  },
  compatibility: {
    anyFinalizers: true,
    plainDeletion: true,
    plainPreconditions: 'precondition failed',
    repeatsErrors: true,
  },
};

/**
 * The warnings about the schemas of a definition, each once and sorted: formats that their types do not have, and sets whose items are not
 * scalars. An update warns only of what is new.
 */
function schemaWarnings(o: JsonObject): readonly string[] {
  const formats = new Set<string>();
  const sets = new Set<string>();
  const pending: JsonValue[] = objectsAt(o, 'spec', 'versions').map((v) => at(v, 'schema', 'openAPIV3Schema') ?? null);
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (!isObject(schema)) continue;
    const format = textAt(schema, 'format');
    if (format !== '' && !isFormatOf(format, schema['type'])) formats.add(format);
    const itemType = isObject(schema['items']) ? textAt(schema['items'], 'type') : '';
    if (schema[LIST_TYPE] === 'set' && (itemType === 'object' || itemType === 'array')) sets.add(itemType);
    if (isObject(schema['properties'])) pending.push(...Object.values(schema['properties']));
    for (const key of ['items', 'additionalProperties', 'not'] as const) pending.push(schema[key] ?? null);
    for (const key of ['allOf', 'anyOf', 'oneOf'] as const) pending.push(...listAt(schema, key));
  }
  const unsupported = 'is not supported by server-side apply or CEL validation rules';
  return [
    ...[...formats].sort().map((format) => `unrecognized format ${JSON.stringify(format)}`),
    ...[...sets].sort().map((type) => `${LIST_TYPE}: set for items of type ${JSON.stringify(type)} ${unsupported}`),
  ];
}

const wide = (name: string, description: string, more: Partial<TableColumn> = {}): TableColumn => ({
  name,
  type: 'string',
  description,
  priority: 1,
  ...more,
});

const table: TableDeclaration = {
  nullWithoutRows: true,
  columns: [
    NAME_COLUMN,
    wide('Scope', 'Cluster/Namespaced', { priority: 0 }),
    wide('Versions', 'Served versions', { priority: 0 }),
    wide('Created At', CREATION_TIME, { type: 'date', priority: 0 }),
    wide('Group', 'API group'),
    wide('Kind', 'CustomResource kind'),
    wide('ShortNames', 'Short names'),
    wide('Established', 'Established status', { type: 'boolean' }),
  ],
  cells: (o) => {
    const served = objectsAt(o, 'spec', 'versions').filter((v) => v['served'] === true);
    const established = objectsAt(o, 'status', 'conditions').find((c) => c['type'] === 'Established');
    return [
      nameOf(o),
      textAt(o, 'spec', 'scope'),
      served
        .map((v) => `${textAt(v, 'name')}${v['storage'] === true ? '(storage)' : ''}`)
        .sort()
        .join(','),
      // A bookmark has no time: kube-apiserver then writes that of a zero time in Go.
      textAt(o, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z',
      textAt(o, 'spec', 'group'),
      textAt(o, 'spec', 'names', 'kind'),
      listAt(o, 'spec', 'names', 'shortNames').join(','),
      established?.['status'] === 'True',
    ];
  },
};

export const customResourceDefinition: ResourceDeclaration<shapes.ApiextensionsV1CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  kind: 'CustomResourceDefinition',
  versions: versions('v1'),
  storageVersion: 'v1',
  hashedVersion: 'v1beta1',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  strategy,
  storagePrefix: 'apiextensions.k8s.io/customresourcedefinitions',
  subresources: {
    // kube-apiserver accepts any storedVersions in a status write; an empty list keeps the old value.
    status: withoutTable(
      statusSubresource({
        update: {
          allowUnconditional: false,
          resetFields: [['metadata'], ['spec']],
          prepare: (o, old) => {
            const { status } = o;
            if (isObject(status) && listAt(status, 'storedVersions').length === 0)
              status['storedVersions'] = [...listAt(old, 'status', 'storedVersions')];
          },
          validate: (o, _, errors) => validateAcceptedNames(o, errors),
        },
      }),
    ),
  },

  table,
};

/** Sets names that derive from the kind, and other defaults that the schema does not declare. */
function complete(o: JsonObject): void {
  const { spec } = o;
  if (!isObject(spec)) return;
  const names = spec['names'];
  if (isObject(names)) {
    const kind = textAt(names, 'kind');
    if (textAt(names, 'singular') === '' && kind !== '') names['singular'] = kind.toLowerCase();
    if (textAt(names, 'listKind') === '' && kind !== '') names['listKind'] = `${kind}List`;
  }
  if (spec['conversion'] === undefined || spec['conversion'] === null) spec['conversion'] = { strategy: 'None' };
  const service = at(spec, 'conversion', 'webhook', 'clientConfig', 'service');
  if (isObject(service) && (service['port'] === undefined || service['port'] === null)) service['port'] = 443;
  const stored = objectsAt(spec, 'versions').find((v) => v['storage'] === true);
  if (stored === undefined || listAt(o, 'status', 'storedVersions').length > 0) return;
  o['status'] = { ...(isObject(o['status']) ? o['status'] : {}), storedVersions: [textAt(stored, 'name')] };
}
