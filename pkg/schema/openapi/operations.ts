import type { GroupVersionKind, JsonObject } from '../../api/index.js';
import { kindSchema } from '../kinds.js';
import type { Definitions } from './definitions.js';
import { capital, customDefinitionName, operationScope, operationTag } from './names.js';
import {
  deleteQuery,
  listQuery,
  type Parameter,
  pathParameter,
  prettyQuery,
  queryOf,
  versionQuery,
  watchQuery,
  writeQuery,
} from './parameters.js';
import { type ApiGroupVersion, type ApiResource, type ApiSubresource, isCustom } from './served.js';

/** One operation, independent of the OpenAPI version. */
export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly description: string;
  readonly tag: string;
  readonly action: string | undefined;
  readonly gvk: GroupVersionKind | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Content | undefined;
  /** What v2 shows as accepted types of an operation without a body, if it is not any. */
  readonly consumes?: readonly string[];
  readonly responses: readonly Response[];
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

export interface Response {
  readonly code: 200 | 201 | 202 | 401;
  readonly description: string;
  readonly content: Content | undefined;
}

export interface Content {
  readonly types: readonly string[];
  readonly schema: JsonObject;
}

/** Path -> operations, in the order of declaration. */
export type Paths = Map<string, Operation[]>;

/** Resources whose DELETE returns the object instead of a Status, as in kube-apiserver. */
const RETURNS_DELETED: ReadonlySet<string> = new Set([
  ...['persistentvolumeclaims', 'persistentvolumes', 'pods', 'podtemplates', 'resourcequotas', 'serviceaccounts'],
  'services',
  ...['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'].map((r) => `resource.k8s.io/${r}`),
  ...['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments', 'volumeattributesclasses'].map(
    (r) => `storage.k8s.io/${r}`,
  ),
]);

const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const OBJECT_TYPES = [JSON_TYPE, YAML, PROTOBUF];
const STREAM_TYPES = [...OBJECT_TYPES, `${JSON_TYPE};stream=watch`, `${PROTOBUF};stream=watch`];
const CUSTOM_TYPES = [JSON_TYPE, YAML];
const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const PATCH_TYPES = [JSON_PATCH, MERGE_PATCH, STRATEGIC, APPLY];
const CUSTOM_PATCH_TYPES = [JSON_PATCH, MERGE_PATCH, APPLY];

/** Returns all paths of a group version, and adds the types they use to `definitions`. Yields after each resource. */
export function* pathsOf(gv: ApiGroupVersion, definitions: Definitions): Generator<undefined, Paths> {
  const paths: Paths = new Map();
  const root = gv.group === '' ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`;
  const add = (path: string, operation: Operation): void => {
    const at = paths.get(path);
    if (at === undefined) paths.set(path, [operation]);
    else at.push(operation);
  };
  if (!isCustom(gv)) {
    add(`${root}/`, {
      method: 'get',
      id: `get${operationScope(gv)}APIResources`,
      description: 'lists the resources of this group version',
      tag: operationTag(gv),
      action: undefined,
      gvk: undefined,
      parameters: [],
      body: undefined,
      consumes: OBJECT_TYPES,
      responses: answers([200], { types: OBJECT_TYPES, schema: machinery('APIResourceList', definitions) }),
    });
  }
  for (const resource of gv.resources) {
    new ResourcePaths(gv, resource, root, definitions, add).write();
    yield;
  }
  return paths;
}

function machinery(kind: string, definitions: Definitions): JsonObject {
  return definitions.struct(kindSchema({ group: 'meta.k8s.io', version: 'v1', kind })!.schema);
}

const WORDS = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' } as const;

function answers(codes: readonly (200 | 201 | 202)[], content: Content): readonly Response[] {
  return [
    ...codes.map((code) => ({ code, description: WORDS[code], content })),
    { code: 401, description: WORDS[401], content: undefined },
  ];
}

/** The common state of the paths of one resource. */
class ResourcePaths {
  readonly #gv: ApiGroupVersion;
  readonly #resource: ApiResource;
  readonly #root: string;
  readonly #definitions: Definitions;
  readonly #add: (path: string, operation: Operation) => void;
  readonly #scope: string;
  /** `NamespacedPod` or `Node`. */
  readonly #name: string;
  readonly #custom: boolean;

  constructor(
    gv: ApiGroupVersion,
    resource: ApiResource,
    root: string,
    definitions: Definitions,
    add: (path: string, operation: Operation) => void,
  ) {
    this.#gv = gv;
    this.#resource = resource;
    this.#root = root;
    this.#definitions = definitions;
    this.#add = add;
    this.#scope = operationScope(gv);
    this.#name = `${resource.namespaced ? 'Namespaced' : ''}${resource.kind}`;
    this.#custom = resource.custom !== undefined;
  }

  write(): void {
    const { name, namespaced, verbs, subresources } = this.#resource;
    const can = (verb: string): boolean => verbs.includes(verb);
    const collection = `${this.#root}${namespaced ? '/namespaces/{namespace}' : ''}/${name}`;
    const item = `${collection}/{name}`;
    this.#collection(collection, can);
    this.#item(item, can);
    for (const sub of subresources) this.#subresource(`${item}/${sub.name}`, sub);
    if (namespaced && can('list')) this.#everywhere();
    if (can('watch') && !this.#custom) this.#watches();
  }

  get #gvk(): GroupVersionKind {
    return { group: this.#gv.group, version: this.#gv.version, kind: this.#resource.kind };
  }

  get #objectTypes(): readonly string[] {
    return this.#custom ? CUSTOM_TYPES : OBJECT_TYPES;
  }

  #place(named: boolean): Parameter[] {
    const { kind, namespaced } = this.#resource;
    return [
      ...(named ? [pathParameter('name', `name of the ${kind}`)] : []),
      ...(namespaced ? [pathParameter('namespace', 'namespace of the object')] : []),
      prettyQuery,
    ];
  }

  #emit(
    path: string,
    method: Method,
    operation: Omit<Operation, 'method' | 'tag' | 'gvk'> & { gvk?: GroupVersionKind },
  ): void {
    const consumes = this.#custom ? { consumes: CUSTOM_TYPES } : {};
    this.#add(path, {
      method,
      tag: operationTag(this.#gv),
      ...consumes,
      ...operation,
      // The operations of a custom resource name its own kind, also those on its Scale.
      gvk: this.#custom ? this.#gvk : (operation.gvk ?? this.#gvk),
    });
  }

  /** Returns a reference to a declared kind or to the custom resource itself. */
  #ref(gvk: GroupVersionKind): JsonObject {
    const { custom, kind } = this.#resource;
    if (custom !== undefined && gvk.group === this.#gv.group && gvk.kind === kind) {
      return this.#definitions.reference(customDefinitionName(this.#gv, kind), () => ({}));
    }
    const found = kindSchema(gvk);
    if (found === undefined) throw new Error(`openapi: unknown kind ${gvk.group}/${gvk.version} ${gvk.kind}`);
    return this.#definitions.struct(found.schema);
  }

  #listRef(): JsonObject {
    const { custom, kind } = this.#resource;
    if (custom !== undefined) {
      return this.#definitions.reference(customDefinitionName(this.#gv, custom.listKind), () => ({}));
    }
    return this.#ref({ ...this.#gvk, kind: kindSchema(this.#gvk)?.info.listKind ?? `${kind}List` });
  }

  #collection(path: string, can: (verb: string) => boolean): void {
    const { kind } = this.#resource;
    const self = this.#ref(this.#gvk);
    const place = this.#place(false);
    const id = (verb: string, name = this.#name): string => `${verb}${this.#scope}${name}`;
    if (can('list')) {
      this.#emit(path, 'get', {
        id: id('list'),
        description: `lists or watches objects of kind ${kind}`,
        action: 'list',
        parameters: [...place, ...watchQuery],
        body: undefined,
        responses: answers([200], { types: this.#custom ? CUSTOM_TYPES : STREAM_TYPES, schema: this.#listRef() }),
      });
    }
    if (can('create')) {
      this.#emit(path, 'post', {
        id: id('create'),
        description: `creates ${article(kind)}`,
        action: 'post',
        parameters: [...place, ...writeQuery],
        body: { types: this.#custom ? CUSTOM_TYPES : ['*/*'], schema: self },
        responses: answers([200, 201, 202], { types: this.#objectTypes, schema: self }),
      });
    }
    if (can('deletecollection')) {
      this.#emit(path, 'delete', {
        id: id('delete', `Collection${this.#name}`),
        description: `deletes all selected objects of kind ${kind}`,
        action: 'deletecollection',
        // As kube-apiserver publishes it: with the parameters of a watch and no body for custom resources.
        parameters: this.#custom ? [...place, ...watchQuery] : [...place, ...listQuery, ...deleteQuery],
        body: this.#custom ? undefined : { types: ['*/*'], schema: machinery('DeleteOptions', this.#definitions) },
        responses: answers([200], { types: this.#objectTypes, schema: machinery('Status', this.#definitions) }),
      });
    }
  }

  #item(path: string, can: (verb: string) => boolean): void {
    const { kind, name } = this.#resource;
    const { group } = this.#gv;
    const returned = RETURNS_DELETED.has(group === '' ? name : `${group}/${name}`);
    const self = this.#ref(this.#gvk);
    if (can('get')) this.#read(path, this.#gvk, '');
    if (can('update')) this.#replace(path, this.#gvk, '');
    if (can('delete')) {
      this.#emit(path, 'delete', {
        id: `delete${this.#scope}${this.#name}`,
        description: `deletes ${article(kind)}`,
        action: 'delete',
        parameters: [...this.#place(true), ...deleteQuery],
        body: { types: this.#custom ? CUSTOM_TYPES : ['*/*'], schema: machinery('DeleteOptions', this.#definitions) },
        responses: answers([200, 202], {
          types: this.#objectTypes,
          schema: returned ? self : machinery('Status', this.#definitions),
        }),
      });
    }
    if (can('patch')) this.#patch(path, this.#gvk, '');
  }

  #read(path: string, gvk: GroupVersionKind, sub: string): void {
    this.#emit(path, 'get', {
      id: `read${this.#scope}${this.#name}${capital(sub)}`,
      description: `reads ${of(sub)}the named ${this.#resource.kind}`,
      action: 'get',
      gvk,
      parameters: this.#custom ? [...this.#place(true), versionQuery] : this.#place(true),
      body: undefined,
      responses: answers([200], { types: this.#objectTypes, schema: this.#ref(gvk) }),
    });
  }

  #replace(path: string, gvk: GroupVersionKind, sub: string): void {
    const schema = this.#ref(gvk);
    this.#emit(path, 'put', {
      id: `replace${this.#scope}${this.#name}${capital(sub)}`,
      description: `replaces ${of(sub)}the named ${this.#resource.kind}`,
      action: 'put',
      gvk,
      parameters: [...this.#place(true), ...writeQuery],
      body: { types: this.#custom ? CUSTOM_TYPES : ['*/*'], schema },
      responses: answers([200, 201], { types: this.#objectTypes, schema }),
    });
  }

  #patch(path: string, gvk: GroupVersionKind, sub: string): void {
    this.#emit(path, 'patch', {
      id: `patch${this.#scope}${this.#name}${capital(sub)}`,
      description: `changes part of ${of(sub)}the named ${this.#resource.kind}`,
      action: 'patch',
      gvk,
      parameters: [
        ...this.#place(true),
        ...writeQuery,
        queryOf('force', 'boolean', 'take over fields that other managers own; only for apply patches'),
      ],
      body: { types: this.#custom ? CUSTOM_PATCH_TYPES : PATCH_TYPES, schema: this.#definitions.patch() },
      responses: answers(this.#custom ? [200] : [200, 201], { types: this.#objectTypes, schema: this.#ref(gvk) }),
    });
  }

  #subresource(path: string, sub: ApiSubresource): void {
    const { kind, name } = this.#resource;
    const can = (verb: string): boolean => sub.verbs.includes(verb);
    const { kind: gvk } = sub;
    if (gvk.kind.endsWith('Options')) {
      this.#connect(path, sub);
      return;
    }
    if (name === 'pods' && sub.name === 'log') {
      this.#emit(path, 'get', {
        id: `read${this.#scope}${this.#name}Log`,
        description: 'reads the log of a container',
        action: 'get',
        parameters: [...this.#place(true), ...optionsQuery({ ...gvk, kind: 'PodLogOptions' })],
        body: undefined,
        responses: answers([200], { types: ['text/plain', ...OBJECT_TYPES], schema: { type: 'string' } }),
      });
      return;
    }
    if (can('get')) this.#read(path, gvk, sub.name);
    if (can('update')) this.#replace(path, gvk, sub.name);
    if (can('create')) {
      const schema = this.#ref(gvk);
      this.#emit(path, 'post', {
        id: `create${this.#scope}${this.#name}${capital(sub.name)}`,
        description: `creates the ${sub.name} of ${article(kind)}`,
        action: 'post',
        gvk,
        parameters: [...this.#place(true), ...writeQuery],
        body: { types: ['*/*'], schema },
        responses: answers([200, 201, 202], { types: this.#objectTypes, schema }),
      });
    }
    if (can('patch')) this.#patch(path, gvk, sub.name);
  }

  /** A connection to the backend of the object. A proxy accepts all methods and subpaths. */
  #connect(path: string, sub: ApiSubresource): void {
    const proxy = sub.verbs.includes('update');
    const methods: readonly Method[] = proxy
      ? ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
      : (['get', 'post'] as const).filter((m) => sub.verbs.includes(m === 'get' ? 'get' : 'create'));
    const place = this.#place(true).filter((p) => p !== prettyQuery);
    for (const deeper of proxy ? [false, true] : [false]) {
      for (const method of methods) {
        this.#emit(deeper ? `${path}/{path}` : path, method, {
          id: `connect${this.#scope}${capital(method)}${this.#name}${capital(sub.name)}${deeper ? 'WithPath' : ''}`,
          description: `connects ${method.toUpperCase()} requests to ${sub.name} of ${article(this.#resource.kind)}`,
          action: 'connect',
          gvk: sub.kind,
          parameters: [
            ...place,
            ...(deeper ? [pathParameter('path', 'path that follows')] : []),
            ...optionsQuery(sub.kind),
          ],
          body: undefined,
          responses: answers([200], { types: ['*/*'], schema: { type: 'string' } }),
        });
      }
    }
  }

  #everywhere(): void {
    const { kind, name } = this.#resource;
    this.#emit(`${this.#root}/${name}`, 'get', {
      id: `list${this.#scope}${kind}ForAllNamespaces`,
      description: `lists or watches objects of kind ${kind} in all namespaces`,
      action: 'list',
      parameters: [prettyQuery, ...watchQuery],
      body: undefined,
      responses: answers([200], { types: this.#custom ? CUSTOM_TYPES : STREAM_TYPES, schema: this.#listRef() }),
    });
  }

  /** The deprecated watch paths, which precede `?watch=true`. */
  #watches(): void {
    const { kind, name, namespaced } = this.#resource;
    const schema = machinery('WatchEvent', this.#definitions);
    const base = `${this.#root}/watch`;
    const collection = `${base}${namespaced ? '/namespaces/{namespace}' : ''}/${name}`;
    const watch = (path: string, id: string, action: string, place: readonly Parameter[]): void =>
      this.#emit(path, 'get', {
        id: `watch${this.#scope}${id}`,
        description: `watches changes of ${kind}; deprecated: list with the parameter watch instead`,
        action,
        parameters: [...place, ...watchQuery],
        body: undefined,
        responses: answers([200], { types: STREAM_TYPES, schema }),
      });
    watch(collection, `${this.#name}List`, 'watchlist', this.#place(false));
    if (this.#resource.verbs.includes('get')) watch(`${collection}/{name}`, this.#name, 'watch', this.#place(true));
    if (namespaced) watch(`${base}/${name}`, `${kind}ListForAllNamespaces`, 'watchlist', [prettyQuery]);
  }
}

const article = (kind: string): string => `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
const of = (sub: string): string => (sub === '' ? '' : `${sub} of `);

/** Query parameters of an options kind: its scalars and lists of scalars. */
function optionsQuery(gvk: GroupVersionKind): Parameter[] {
  const found: Parameter[] = [];
  for (const field of kindSchema(gvk)?.schema.fields ?? []) {
    const type = field.schema.kind === 'list' ? field.schema.items : field.schema;
    if (type.kind !== 'scalar' || field.name === 'kind' || field.name === 'apiVersion') continue;
    if (type.type === 'string') found.push(queryOf(field.name, 'string', ''));
    else if (type.type === 'bool') found.push(queryOf(field.name, 'boolean', ''));
    else if (type.type === 'int32' || type.type === 'int64') found.push(queryOf(field.name, 'integer', ''));
  }
  return found;
}
