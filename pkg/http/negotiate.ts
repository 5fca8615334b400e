import { type ApiError, errors } from '../api/index.js';
import type { Body, PatchType, Representation } from '../registry/index.js';
import type { Query } from './requestinfo.js';

/** Media types in and out. Answers are negotiated twice, as in the reference: the route's types first, then their parameters. */

export type Encoding = Representation['encoding'];

export const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  cbor: 'application/cbor',
};

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map(
  Object.entries(MEDIA_TYPES).map(([encoding, type]) => [type, encoding as Encoding]),
);

/** What a server speaks; CBOR behind its gate. */
export interface Spoken {
  readonly encodings: readonly Encoding[];
  /** As error messages list them. */
  readonly types: readonly string[];
  /** Objects themselves have no protobuf form (custom resources); other answers about them have. */
  readonly withoutProtobuf?: true;
}

/** The encodings in which a custom resource is served. */
const customEncodings = new WeakMap<Spoken, Spoken>();

export function encodingsOf(server: Spoken, custom: boolean): Spoken {
  if (!custom) return server;
  let found = customEncodings.get(server);
  if (found === undefined) {
    found = { ...server, withoutProtobuf: true };
    customEncodings.set(server, found);
  }
  return found;
}

export function spoken(cbor: boolean): Spoken {
  const encodings: readonly Encoding[] = cbor ? ['json', 'yaml', 'protobuf', 'cbor'] : ['json', 'yaml', 'protobuf'];
  return { encodings, types: encodings.map((e) => MEDIA_TYPES[e]) };
}

/** One clause of an Accept header. */
interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** What is asked for by `as`, `g` and `v`. */
export interface Conversion {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

export interface Accepted {
  readonly encoding: Encoding;
  readonly as: Conversion | undefined;
  readonly pretty: boolean;
}

/**
 * The first clause, best quality first, that the server can satisfy. `allows` says whether an `as=` conversion can be done in
 * an encoding; `stream` whether this is a watch. undefined: none can.
 */
export function negotiate(
  accept: string | undefined,
  server: Spoken,
  allows: (as: Conversion, encoding: Encoding) => boolean,
  stream: boolean,
): Accepted | undefined {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return JSON_ACCEPTED;
  for (const clause of parseAccept(accept)) {
    for (const encoding of server.encodings) {
      const accepted = matches(clause, encoding, allows, stream);
      if (accepted === undefined) continue;
      if (accepted.as === undefined && encoding === 'protobuf' && server.withoutProtobuf === true) continue;
      return accepted;
    }
  }
  return undefined;
}

/** As events in CBOR are called where they stand one after the other; who watches may ask for them by either name. */
const CBOR_SEQUENCE = 'cbor-seq';

const JSON_ACCEPTED: Accepted = { encoding: 'json', as: undefined, pretty: false };

function matches(
  clause: Clause,
  encoding: Encoding,
  allows: (as: Conversion, encoding: Encoding) => boolean,
  stream: boolean,
): Accepted | undefined {
  const subtype = MEDIA_TYPES[encoding].slice('application/'.length);
  if (clause.type !== '*' && clause.type !== 'application') return undefined;
  const named = clause.subtype === subtype || (stream && encoding === 'cbor' && clause.subtype === CBOR_SEQUENCE);
  if (clause.subtype !== '*' && !named) return undefined;
  const { parameters } = clause;
  if (parameters.has('stream') && !(stream && parameters.get('stream') === 'watch')) return undefined;
  if (parameters.has('sv')) return undefined;
  let as: Conversion | undefined;
  if (parameters.has('as') || parameters.has('g') || parameters.has('v')) {
    as = {
      kind: parameters.get('as') ?? '',
      group: parameters.get('g') ?? '',
      version: parameters.get('v') ?? '',
    };
    if (as.kind === '' && as.group === '' && as.version === '') as = undefined;
    else if (!allows(as, encoding)) return undefined;
  }
  return { encoding, as, pretty: parameters.get('pretty') === '1' };
}

/** Best first: by quality, then types before wildcards, else as written. */
function parseAccept(accept: string): readonly Clause[] {
  const clauses = accept
    .split(',', CLAUSES_MAX)
    .map(parseClause)
    .filter((c) => c !== undefined);
  return clauses.sort(
    (a, b) =>
      b.quality - a.quality ||
      Number(a.type === '*') - Number(b.type === '*') ||
      Number(a.subtype === '*') - Number(b.subtype === '*'),
  );
}

const CLAUSES_MAX = 64;

function parseClause(text: string): Clause | undefined {
  const [range = '', ...rest] = text.split(';');
  const [type, subtype, more] = range.trim().split('/');
  if (type === undefined || type === '' || more !== undefined) return undefined;
  if (subtype === undefined && type !== '*') return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const part of rest) {
    const eq = part.indexOf('=');
    if (eq < 0) continue;
    const name = part.slice(0, eq).trim();
    const value = part.slice(eq + 1).trim();
    if (name === 'q') {
      const q = Number.parseFloat(value);
      quality = Number.isNaN(q) ? 1 : q;
    } else parameters.set(name, value);
  }
  return { type, subtype: subtype ?? '*', quality, parameters };
}

/**
 * The route's own look at Accept: some clause must name one of its types, whatever the parameters (so `application/*` does
 * not do). Throws 406.
 */
export function checkRoute(accept: string | undefined, available: readonly string[]): void {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return;
  for (const part of accept.split(',', CLAUSES_MAX)) {
    const semicolon = part.indexOf(';');
    const type = (semicolon < 0 ? part : part.slice(0, semicolon)).trim();
    if (type === '*/*' || available.includes(type)) return;
  }
  throw errors.noRepresentation(available);
}

/** Types of a route that can be watched, as its 406 lists them. */
export function watchableTypes(server: Spoken): readonly string[] {
  return [
    ...server.types,
    `${MEDIA_TYPES.json};stream=watch`,
    `${MEDIA_TYPES.protobuf};stream=watch`,
    ...(server.encodings.includes('cbor') ? [`application/${CBOR_SEQUENCE}`] : []),
  ];
}

/** What kind of answer is represented: `as=PartialObjectMetadata` of a list is refused, and the other way round. */
export type Shape = 'object' | 'list' | 'watch';

const META_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

/** Table and PartialObjectMetadata(List) of meta.k8s.io; a Table is not to be had in protobuf. */
export function allowsMeta(as: Conversion, encoding: Encoding): boolean {
  if (as.group !== 'meta.k8s.io' || !META_VERSIONS.has(as.version)) return false;
  if (as.kind === 'Table') return encoding !== 'protobuf';
  return as.kind === 'PartialObjectMetadata' || as.kind === 'PartialObjectMetadataList';
}

export interface Wanted {
  readonly accept: string | undefined;
  readonly query: Query;
  readonly userAgent: string;
}

export interface Negotiated extends Representation {
  /** It is for lists: no event of a watch can be written so. */
  readonly ofLists?: true;
}

/** The representation of an object, a list or a watch's events. Throws 406, and 400 for an unknown `includeObject`. */
export function representationOf(wanted: Wanted, server: Spoken, shape: Shape, goKind: string): Negotiated {
  const accepted = negotiate(wanted.accept, server, allowsMeta, shape === 'watch');
  // A stream of YAML documents is not to be had, nor what else was offered beside it: the choice is made before.
  if (accepted === undefined || (shape === 'watch' && accepted.encoding === 'yaml'))
    throw errors.notAcceptable(server.types);
  const pretty = shape !== 'watch' && wantsPretty(wanted, accepted.pretty);
  const as = accepted.as;
  if (as === undefined) {
    if (accepted.encoding === 'json' && !pretty) return PLAIN_JSON;
    return { ...PLAIN_JSON, encoding: accepted.encoding, pretty };
  }
  if (as.kind === 'PartialObjectMetadataList' && shape === 'object')
    throw mixedUp(`you requested PartialObjectMetadataList, but the requested object is not a list (${goKind})`);
  if (as.kind === 'PartialObjectMetadata' && shape === 'list')
    throw mixedUp(`you requested PartialObjectMetadata, but the requested object is a list (${goKind}List)`);
  return {
    encoding: accepted.encoding,
    form: as.kind === 'Table' ? 'table' : 'metadata',
    metaVersion: as.version as 'v1' | 'v1beta1',
    includeObject: as.kind === 'Table' ? includeObject(wanted.query) : 'Metadata',
    pretty,
    ...(as.kind === 'PartialObjectMetadataList' ? { ofLists: true } : {}),
  };
}

export const PLAIN_JSON: Representation = {
  encoding: 'json',
  form: 'object',
  metaVersion: 'v1',
  includeObject: 'Metadata',
  pretty: false,
};

function mixedUp(message: string): ApiError {
  return errors.notAcceptableBecause(message);
}

function includeObject(query: Query): Representation['includeObject'] {
  const value = query.text('includeObject');
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw errors.badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** The query decides; without it, people who look with a browser or a command-line tool get lines. */
export function wantsPretty(wanted: Wanted, accepted: boolean): boolean {
  const asked = wanted.query.text('pretty');
  if (asked !== '') return TRUE.has(asked);
  return accepted || BY_HAND.test(wanted.userAgent);
}

const BY_HAND = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** How a document that is no stored object (a Status, discovery) goes out. */
export type DocumentForm = Pick<Representation, 'encoding' | 'pretty'>;

/** How an error goes out. Never refuses: what cannot be satisfied gets JSON. */
export function errorForm(wanted: Wanted, server: Spoken): DocumentForm {
  const accepted = negotiate(wanted.accept, server, allowsMeta, true) ?? JSON_ACCEPTED;
  return { encoding: accepted.encoding, pretty: wantsPretty(wanted, accepted.pretty) };
}

/** Encoding of a request's body; JSON when nothing is said. Throws 415. */
export function bodyEncoding(contentType: string | undefined, server: Spoken): Body['encoding'] {
  if (contentType === undefined || contentType === '' || contentType === 'application/json') return 'json';
  const [type = '', ...parameters] = contentType.split(';');
  const encoding = ENCODINGS.get(type.trim().toLowerCase());
  const wellFormed = parameters.every((p) => p.trim() === '' || PARAMETER.test(p));
  if (encoding === undefined || !wellFormed || !server.encodings.includes(encoding))
    throw errors.unsupportedMediaType(server.types);
  return encoding;
}

const PARAMETER = /^\s*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")\s*$/;

const PATCHES: ReadonlyMap<string, { readonly type: PatchType; readonly encoding: Body['encoding'] }> = new Map([
  ['application/json-patch+json', { type: 'json', encoding: 'json' }],
  ['application/merge-patch+json', { type: 'merge', encoding: 'json' }],
  ['application/strategic-merge-patch+json', { type: 'strategic', encoding: 'json' }],
  ['application/apply-patch+yaml', { type: 'apply', encoding: 'yaml' }],
  ['application/apply-patch+cbor', { type: 'apply', encoding: 'cbor' }],
] as const);

/** Kind and encoding of a patch by its content type. `strategic`: whether the resource takes strategic merge patches. */
export function patchTypeOf(
  contentType: string | undefined,
  server: Spoken,
  strategic: boolean,
): { readonly type: PatchType; readonly encoding: Body['encoding'] } {
  const semicolon = contentType?.indexOf(';') ?? -1;
  const cut = semicolon > 0 ? contentType!.slice(0, semicolon) : (contentType ?? '');
  const supported = [...PATCHES]
    .filter(
      ([, p]) => (strategic || p.type !== 'strategic') && (p.encoding !== 'cbor' || server.encodings.includes('cbor')),
    )
    .map(([name]) => name);
  if (!supported.includes(cut.trim())) throw errors.unsupportedContentType();
  // The route looked at the trimmed type, its handler takes it as it stands.
  if (!supported.includes(cut)) throw errors.unsupportedMediaType(supported);
  return PATCHES.get(cut)!;
}
