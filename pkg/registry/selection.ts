import { createHash } from 'node:crypto';
import {
  compileLabelSelector,
  errors,
  type FieldSelector,
  fieldMatchSteps,
  type LabelMatch,
  parseFieldSelector,
  parseLabelSelector,
  type RequestSelectors,
  requiredValue,
  SelectorError,
} from '../api/index.js';
import { finish, ownText, type Steps } from '../base/index.js';
import type { Selection, StoredObject } from '../cache/index.js';
import { isCustom } from '../schema/index.js';
import type { ListOptions, RequestContext, Target } from './requests.js';
import type { ServedResource } from './servedresources.js';
import { parseShardSelector, type ShardSelector } from './shards.js';

/** The part of an object that selectors of labels and fields read. */
export type Selectable = Pick<StoredObject, 'name' | 'namespace' | 'labels' | 'fields' | 'uid'>;

/** The selection of a list, a watch or a deletecollection. */
export interface Selected extends Selection {
  readonly matches?: (o: Selectable) => boolean;
  /** Selectors of labels, fields or shards restrict the selection; the number of items after a page is then unknown. */
  readonly restricted: boolean;
  readonly namespaced: boolean;
  /** The prefix of the resource: `/registry/pods/`. */
  readonly resourcePrefix: string;
}

/** The parsed selectors of a request. They are validated before everything else, as in kube-apiserver. */
export interface ParsedSelectors {
  /** Undefined: all. */
  readonly hasLabels: LabelMatch | undefined;
  readonly fields: FieldSelector;
  readonly shards: ShardSelector | undefined;
}

/** `read`: the selectors of labels and fields, if they were parsed before. */
export function parseSelectors(options: ListOptions, read?: RequestSelectors): ParsedSelectors {
  try {
    if (read?.labels instanceof Error) throw read.labels;
    if (read?.fields instanceof Error) throw read.fields;
    return {
      hasLabels: read === undefined ? labelMatch(options.labelSelector) : read.matches,
      fields: read?.fields ?? parseFieldSelector(options.fieldSelector),
      shards: options.shardSelector === '' ? undefined : parseShardSelector(options.shardSelector),
    };
  } catch (e) {
    throw e instanceof SelectorError ? errors.badRequest(e.message) : e;
  }
}

function labelMatch(text: string): LabelMatch | undefined {
  const selector = parseLabelSelector(text);
  return selector.length > 0 ? compileLabelSelector(selector) : undefined;
}

const NAME = 'metadata.name';
const NAMESPACE = 'metadata.namespace';

export function select(target: Target, options: ListOptions, parsed: ParsedSelectors): Selected {
  return finish(selectSteps(target, options, parsed));
}

/** `select` within the time slice of the request. */
export function selectInTurns(
  target: Target,
  options: ListOptions,
  parsed: ParsedSelectors,
  { slice }: RequestContext,
): Selected | Promise<Selected> {
  const steps = selectSteps(target, options, parsed);
  return slice === undefined ? finish(steps) : slice.run(steps);
}

/** Compiles the selection of a request in steps. A watch keeps it: it refers to nothing of the request. */
function* selectSteps(target: Target, options: ListOptions, parsed: ParsedSelectors): Steps<Selected> {
  const { resource } = target;
  const { hasLabels, shards } = parsed;
  const fields = parsed.fields.map((r) => ({ ...r, field: fieldNumber(resource, r.field) }));
  const name = requiredValue(parsed.fields, NAME);
  const inNamespace = requiredValue(parsed.fields, NAMESPACE);
  const restricted = hasLabels !== undefined || fields.length > 0 || shards !== undefined;
  const hotField = resource.declaration.hotField;
  const hotNumber = hotField === undefined ? undefined : resource.fieldLabels.get(hotField);
  const hot = fields.find((f) => f.equal && f.field === hotNumber && hotNumber !== undefined);
  const matches = matchesOf(yield* fieldMatchSteps(fields, fieldValue), hasLabels, shards);
  return {
    id: idOf([target.namespace, options.labelSelector, options.fieldSelector, options.shardSelector]),
    namespace: target.namespace !== '' || !resource.namespaced ? target.namespace : ownText(inNamespace ?? ''),
    // An empty name in a selector selects nothing, while '' selects any name here.
    name: ownText(name ?? ''),
    restricted,
    namespaced: resource.namespaced,
    resourcePrefix: resource.storage.prefix,
    ...(restricted ? { matches } : {}),
    ...(hot === undefined ? {} : { hot: { field: hot.field, value: ownText(hot.value) } }),
  };
}

/** A function of its own: a watch keeps what it refers to. */
function matchesOf(
  hasFields: (o: Selectable) => boolean,
  hasLabels: LabelMatch | undefined,
  shards: ShardSelector | undefined,
): (o: Selectable) => boolean {
  return (o) => {
    if (!hasFields(o)) return false;
    if (hasLabels !== undefined && !hasLabels(o.labels())) return false;
    return shards === undefined || shards(o);
  };
}

/** A watch keeps its id, and so a longer one is replaced by its digest. */
const ID_CHARACTERS_MAX = 1_000;

/** A digest reads the texts one after the other: joined, they would take their memory again. */
function idOf(texts: readonly string[]): string {
  if (texts.reduce((sum, text) => sum + text.length + 1, 0) <= ID_CHARACTERS_MAX) return texts.join('|');
  const digest = createHash('sha256');
  for (const text of texts) digest.update(text).update('|');
  return digest.digest('base64');
}

const NAME_FIELD = -1;
const NAMESPACE_FIELD = -2;

function fieldValue(o: Selectable, field: number): string {
  return field === NAME_FIELD ? o.name : field === NAMESPACE_FIELD ? o.namespace : o.fields()[field]!;
}

function fieldNumber(resource: ServedResource, label: string): number {
  if (label === NAME) return NAME_FIELD;
  // Kinds without a namespace that declare fields of their own do not have this label.
  const isCustomResource = isCustom(resource.type);
  const selectsNamespace = resource.namespaced
    ? resource.declaration.selectsNamespace
    : resource.fieldLabels.size === 0 && !isCustomResource;
  if (label === NAMESPACE && selectsNamespace) return NAMESPACE_FIELD;
  const number = resource.fieldLabels.get(label);
  if (number !== undefined) return number;
  const say = resource.declaration.unknownFieldLabel;
  if (say !== undefined) throw errors.badRequest(say(label, resource.version));
  throw errors.badRequest(
    resource.fieldLabels.size > 0 || isCustomResource
      ? `field label not supported: ${label}`
      : `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}
