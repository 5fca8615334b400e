import {
  ApiError,
  apiVersionOf,
  at,
  cloneJson,
  compareVersions,
  type GroupVersionKind,
  isObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectsAt,
  textAt,
} from '../../api/index.js';
import { Derived, type Pace, runSteps, type Steps } from '../../base/index.js';
import {
  compileStructuralSchema,
  customKind,
  type KindSchema,
  machinery,
  prune,
  structuralName,
} from '../../schema/index.js';
import { type RemoteConverter, remoteConversions } from '../conversion.js';
import { STORED_VERBS } from '../declare.js';
import type { Conversion, Kind, ServedResource, ServedSubresource, StorageForm } from '../kind.js';
import { resourceMemory } from '../memory.js';
import type { Strategy, Verb, WriteContext } from '../resource.js';
import { complete } from '../upgrade.js';
import { printerColumns } from './columns.js';
import { parsedSchemas, type SchemaSource } from './definition.js';
import { simplePath } from './jsonpath.js';
import { compileRules, type RuleNode } from './rules/rules.js';
import { customScale, type ScalePaths, scalePaths } from './scale.js';
import { SchemaMemory } from './schemamemory.js';
import { customStatusStrategy, customStrategy, type Timed, type VersionRules } from './strategy.js';

/**
 * Compiles a definition of a custom resource to a kind: the `spec` of an apiextensions.k8s.io/v1
 * CustomResourceDefinition that passed validation. `names` are the accepted ones, which may differ from those in the
 * spec. Schemas are read and compiled when they are needed.
 */
export function compile(spec: JsonObject, names: JsonObject, options: CompileOptions = {}): Kind {
  return new Compiler(spec, names, options).kind();
}

/** The verbs in discovery documents, in the order of kube-apiserver. A kind that goes lists no writes, although it accepts updates. */
const LISTED: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const LISTED_WHILE_TERMINATING: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'watch'];

export interface CompileOptions {
  /** The definition is being deleted: objects can be changed and deleted, but not created. */
  readonly terminating?: boolean;
  /** The storage of the kind from the same spec: with it, the cached objects and their watches stay. */
  readonly storage?: Kind['storage'] | undefined;
  /** Converts between the versions; absent if they differ only in their name. */
  readonly remote?: RemoteConverter | undefined;
  /** The schemas, if they are not in the `spec`. */
  readonly schemas?: SchemaSource;
  /** Where compiled schemas are kept; shared by the kinds of a server. */
  readonly memory?: SchemaMemory;
}

interface Names {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
}

class Compiler {
  /** Objects of all versions have any fields. */
  readonly #preserves: boolean;
  readonly #schemas: SchemaSource;
  readonly #memory: SchemaMemory;
  readonly #names: Names;
  readonly #names0: JsonObject;
  readonly #versions: readonly JsonObject[];
  readonly #group: string;
  readonly #namespaced: boolean;
  readonly #strategy: Strategy;
  readonly #terminating: boolean;
  readonly #sameStorage: Kind['storage'] | undefined;
  readonly #rules = new Map<string, VersionRules>();
  /** The type of the storage version. */
  #stored: KindSchema | undefined;

  /** By apiVersion. */
  readonly #types = new Map<string, KindSchema>();
  readonly #remote: RemoteConverter | undefined;
  readonly #remoteConversion: ReturnType<typeof remoteConversions> | undefined;

  constructor(spec: JsonObject, names: JsonObject, options: CompileOptions) {
    const { terminating = false, remote } = options;
    this.#terminating = terminating;
    this.#sameStorage = options.storage;
    this.#schemas = options.schemas ?? parsedSchemas(spec);
    this.#memory = options.memory ?? new SchemaMemory();
    this.#preserves = spec['preserveUnknownFields'] === true;
    if (remote !== undefined) {
      this.#remote = this.#pruning(remote);
      this.#remoteConversion = remoteConversions(remote);
    }
    this.#names0 = names;
    const kind = textAt(names, 'kind');
    this.#names = {
      plural: textAt(names, 'plural'),
      singular: textAt(names, 'singular') || kind.toLowerCase(),
      kind,
      listKind: textAt(names, 'listKind') || `${kind}List`,
    };
    this.#group = textAt(spec, 'group');
    this.#namespaced = spec['scope'] === 'Namespaced';
    this.#versions = objectsAt(spec, 'versions');
    this.#strategy = customStrategy(this.#rulesOf, {
      statusIsSeparate: this.#statusIsSeparate,
      terminating: this.#terminating ? { group: this.#group, resource: this.#names.plural } : undefined,
      complete: (o) => complete(o, this.#stored!),
    });
  }

  readonly #statusIsSeparate = (version: string): boolean =>
    this.#versions.some((v) => textAt(v, 'name') === version && at(v, 'subresources', 'status') !== undefined);

  readonly #rulesOf = (context: WriteContext): VersionRules =>
    this.#rules.get(context.version) ?? this.#rules.values().next().value!;

  /**
   * A converter whose results have the fields of their version only, whatever it returned. Field ownership and webhooks get them as they are, as
   * in kube-apiserver.
   */
  #pruning(remote: RemoteConverter): RemoteConverter {
    return {
      run: (work) => remote.run(work),
      to: (apiVersion) => {
        const convert = remote.to(apiVersion);
        return async (objects) => {
          const converted = await convert(objects);
          const type = this.#types.get(apiVersion);
          for (const o of converted)
            if (type !== undefined && !(o instanceof ApiError)) await remote.run(pruneSteps(o, type));
          return converted;
        };
      },
    };
  }

  kind(): Kind {
    const types = new Map(this.#versions.map((v) => [textAt(v, 'name'), this.#type(v)]));
    for (const v of this.#versions) this.#types.set(apiVersionOf(this.#gvk(v)), types.get(textAt(v, 'name'))!);
    const labels = this.#selectableFields();
    const made = this.#storage(types, labels);
    const storage = this.#sameStorage ?? made;
    const { plural, singular, kind, listKind } = this.#names;
    const own: { -readonly [K in keyof Kind]: Kind[K] } = {
      group: this.#group,
      resource: plural,
      singular,
      kind,
      listKind,
      namespaced: this.#namespaced,
      shortNames: this.#list('shortNames'),
      categories: this.#list('categories'),
      strategy: this.#strategy,
      storage,
      versions: [],
      served: [],
      remote: this.#remote,
      virtual: undefined,
      hotField: undefined,
      emptyObject: undefined,
      hiddenAnnotations: [],
      unreadable: undefined,
      unknownFieldLabel: undefined,
      selectsNamespace: true,
    };
    own.versions = this.#versions.map((v) => this.#version(own, v, types.get(textAt(v, 'name'))!, labels));
    own.served = own.versions.filter((_, i) => this.#versions[i]!['served'] === true);
    return own;
  }

  #list(name: string): readonly string[] | undefined {
    const found = listAt(this.#names0, name).filter((v): v is string => typeof v === 'string');
    return found.length === 0 ? undefined : found;
  }

  #gvk(version: JsonObject): GroupVersionKind {
    return { group: this.#group, version: textAt(version, 'name'), kind: this.#names.kind };
  }

  #type(version: JsonObject): KindSchema {
    const gvk = this.#gvk(version);
    const schemas = this.#schemas;
    const preserves = this.#preserves;
    return customKind(gvk, {
      listKind: this.#names.listKind,
      namespaced: this.#namespaced,
      structural: this.#memory.value(schemas.bytes(gvk.version), () => {
        const declared = schemas.schema(gvk.version) ?? PRESERVING;
        return compileStructuralSchema(preserves ? preserving(declared) : declared, structuralName(gvk));
      }),
    });
  }

  /** The selectable paths of all versions, without duplicates. */
  #selectableFields(): readonly string[] {
    return [...new Set(this.#versions.flatMap(fieldPaths))];
  }

  #storage(types: ReadonlyMap<string, KindSchema>, labels: readonly string[]): StorageForm {
    const stored = this.#versions.find((v) => v['storage'] === true) ?? this.#versions[0]!;
    const type = types.get(textAt(stored, 'name'))!;
    this.#stored = type;
    return {
      apiVersion: apiVersionOf(this.#gvk(stored)),
      kind: this.#names.kind,
      type,
      get schema() {
        return type.structural!;
      },
      prefix: `/registry/${this.#group}/${this.#names.plural}/`,
      fields: labels.map((label) => {
        const path = simplePath(label) ?? [];
        return (o: JsonObject): string => fieldText(at(o, ...path));
      }),
    };
  }

  /** The warning of a version; its own text, or one that names the first served version before it that is not deprecated. */
  #deprecation(v: JsonObject, apiVersion: string): string | undefined {
    if (v['deprecated'] !== true) return undefined;
    if (typeof v['deprecationWarning'] === 'string') return v['deprecationWarning'];
    const first = this.#versions
      .filter((other) => other['served'] === true && other['deprecated'] !== true)
      .map((other) => this.#gvk(other).version)
      .toSorted(compareVersions)[0];
    const isBetter = first !== undefined && compareVersions(first, textAt(v, 'name')) < 0;
    const instead = isBetter ? `; use ${this.#group}/${first} ${this.#names.kind}` : '';
    return `${apiVersion} ${this.#names.kind} is deprecated${instead}`;
  }

  #version(kind: Kind, v: JsonObject, type: KindSchema, labels: readonly string[]): ServedResource {
    const gvk = this.#gvk(v);
    const apiVersion = apiVersionOf(gvk);
    const resource: ServedResource = {
      declaration: kind,
      group: gvk.group,
      version: gvk.version,
      resource: kind.resource,
      kind: kind.kind,
      apiVersion,
      namespaced: kind.namespaced,
      verbs: STORED_VERBS,
      listedVerbs: this.#terminating ? LISTED_WHILE_TERMINATING : LISTED,
      subresources: this.#subresources(v, type),
      strategy: this.#strategy,
      type,
      get schema() {
        return type.structural!;
      },
      groupResource: { group: gvk.group, resource: kind.resource },
      memory: resourceMemory(apiVersionOf(gvk)),
      storage: kind.storage,
      table: printerColumns(v),
      fieldLabels: new Map(fieldPaths(v).map((path) => [path.slice(1), labels.indexOf(path)])),
      conversion: this.#conversion(apiVersion, type, kind.storage),
      deprecation: this.#deprecation(v, apiVersion),
      published: () => this.#schemas.schema(gvk.version) ?? {},
    };
    const compiled = this.#memory.value(
      this.#schemas.bytes(gvk.version),
      () => new Derived<RuleNode | undefined>(undefined, undefined),
    );
    const rules = (pace: Pace, timed: Timed) =>
      compiled().at('all', () => timed(() => runSteps(compileRules(this.#schemas.schema(gvk.version) ?? {}), pace)));
    const scale = at(v, 'subresources', 'scale');
    const paths = isObject(scale) ? scalePaths(scale) : undefined;
    this.#rules.set(gvk.version, versionRules(resource, rules, paths));
    return resource;
  }

  #conversion(apiVersion: string, type: KindSchema, storage: StorageForm): Conversion | undefined {
    if (apiVersion === storage.apiVersion) return undefined;
    return this.#remoteConversion?.(apiVersion, storage.apiVersion) ?? renaming(apiVersion, type, storage);
  }

  #subresources(v: JsonObject, type: KindSchema): Readonly<Record<string, ServedSubresource>> {
    const found: Record<string, ServedSubresource> = {};
    if (at(v, 'subresources', 'status') !== undefined)
      found['status'] = {
        verbs: ['get', 'patch', 'update'],
        behaviour: { kind: 'status', strategy: customStatusStrategy(this.#rulesOf, this.#statusIsSeparate) },
        type,
      };
    const scale = at(v, 'subresources', 'scale');
    if (isObject(scale)) {
      const sub = customScale(scalePaths(scale));
      found['scale'] = { ...sub, type: machinery.scale };
    }
    return found;
  }
}

function versionRules(
  resource: ServedResource,
  expressions: VersionRules['expressions'],
  scale: ScalePaths | undefined,
): VersionRules {
  return {
    resource,
    hasStatus: 'status' in resource.subresources,
    scale,
    schema: () => resource.schema,
    expressions,
  };
}

/** A schema that drops nothing at any depth: `preserveUnknownFields` of a definition turns off pruning. */
function preserving(declared: JsonObject): JsonObject {
  const root = { ...cloneJson(declared), ...PRESERVING };
  const pending: JsonValue[] = [root];
  for (let s = pending.pop(); s !== undefined; s = pending.pop()) {
    if (!isObject(s)) continue;
    const type = textAt(s, 'type');
    if ((type === '' || type === 'object') && s['x-kubernetes-int-or-string'] !== true)
      s['x-kubernetes-preserve-unknown-fields'] = true;
    pending.push(s['items'] ?? null, s['additionalProperties'] ?? null);
    if (isObject(s['properties'])) pending.push(...Object.values(s['properties']));
  }
  return root;
}

const PRESERVING: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const fieldPaths = (v: JsonObject): readonly string[] =>
  objectsAt(v, 'selectableFields').map((f) => textAt(f, 'jsonPath'));

/** A selectable field is a string, a boolean or an integer. */
function fieldText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : value === undefined || typeof value === 'object' ? '' : String(value);
}

/** Without a webhook, versions differ only in their name. */
function renaming(apiVersion: string, type: KindSchema, stored: StorageForm): Conversion {
  return {
    toStorage: (o) => {
      o['apiVersion'] = stored.apiVersion;
      prune(o, stored.schema);
    },
    fromStorage: (o) => {
      o['apiVersion'] = apiVersion;
      prune(o, type.structural!);
    },
  };
}

function* pruneSteps(o: JsonObject, type: KindSchema): Steps<void> {
  prune(o, type.structural!);
  yield;
}
