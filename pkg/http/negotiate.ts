import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, errors } from '../api/index.js';
import type { Body, PatchType, Representation } from '../registry/index.js';
import type { Query } from './requestinfo.js';

/** Content negotiation. Responses are negotiated twice, as in kube-apiserver: the route's types first, then their parameters. */

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

/** The encodings that a server supports; CBOR only with its feature gate. */
export interface SupportedEncodings {
  readonly encodings: readonly Encoding[];
  /** The list in error messages. */
  readonly types: readonly string[];
  /** Whether objects lack a protobuf form (custom resources). Other responses about them have one. */
  readonly withoutProtobuf?: true;
  /** The encodings in which custom resources are served. */
  readonly custom?: SupportedEncodings;
}

/** The encodings of one resource. */
export const encodingsOf = (server: SupportedEncodings, custom: boolean): SupportedEncodings =>
  custom ? (server.custom ?? server) : server;

/** The encodings of a server; `cbor` is its feature gate. */
export function supportedEncodings(cbor: boolean): SupportedEncodings {
  const encodings: readonly Encoding[] = cbor ? ['json', 'yaml', 'protobuf', 'cbor'] : ['json', 'yaml', 'protobuf'];
  const types = encodings.map((e) => MEDIA_TYPES[e]);
  return { encodings, types, custom: { encodings, types, withoutProtobuf: true } };
}

/** One clause of an Accept header. */
interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The representation requested by `as`, `g` and `v`. */
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
 * Returns the first clause, best quality first, that the server can satisfy, or undefined. `allows` says whether an `as=`
 * conversion is supported in an encoding.
 */
export function negotiate(
  accept: string | undefined,
  server: SupportedEncodings,
  allows: (as: Conversion, encoding: Encoding) => boolean,
): Accepted | undefined {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return JSON_ACCEPTED;
  for (const clause of parseAccept(accept)) {
    for (const encoding of server.encodings) {
      const accepted = matches(clause, encoding, allows);
      if (accepted === undefined) continue;
      if (accepted.as === undefined && encoding === 'protobuf' && server.withoutProtobuf === true) continue;
      return accepted;
    }
  }
  return undefined;
}

/** The media type of a sequence of CBOR items, which a watch is sent as. Requests name CBOR itself. */
const CBOR_SEQUENCE = 'cbor-seq';

const JSON_ACCEPTED: Accepted = { encoding: 'json', as: undefined, pretty: false };

/** The encodings of watches. */
const STREAMED: ReadonlySet<Encoding> = new Set(['json', 'protobuf', 'cbor']);

function matches(
  clause: Clause,
  encoding: Encoding,
  allows: (as: Conversion, encoding: Encoding) => boolean,
): Accepted | undefined {
  const subtype = MEDIA_TYPES[encoding].slice('application/'.length);
  // A type that is any needs a subtype that is any.
  if (clause.type !== 'application' && !(clause.type === '*' && clause.subtype === '*')) return undefined;
  if (clause.subtype !== '*' && clause.subtype !== subtype) return undefined;
  const { parameters } = clause;
  // Requests other than watches ignore it.
  if (parameters.has('stream') && !(STREAMED.has(encoding) && parameters.get('stream') === 'watch')) return undefined;
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

/** The clauses of recent headers: a client sends the same ones again and again. */
const parsedHeaders = new Map<string, readonly Clause[]>();
/** Headers that are remembered, and characters of the longest one. */
const PARSED_HEADERS_MAX = 128;
const PARSED_CHARACTERS_MAX = 512;

/** Best first: by quality, then types before wildcards, then in the order of the header. */
export function parseAccept(accept: string): readonly Clause[] {
  const known = parsedHeaders.get(accept);
  if (known !== undefined) return known;
  const clauses = readAccept(accept);
  if (accept.length > PARSED_CHARACTERS_MAX) return clauses;
  if (parsedHeaders.size >= PARSED_HEADERS_MAX) parsedHeaders.clear();
  parsedHeaders.set(accept, clauses);
  return clauses;
}

function readAccept(accept: string): readonly Clause[] {
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
 * Checks Accept against the route: a clause must name one of its types, whatever the parameters, so `application/*` is
 * not enough. Throws 406.
 */
export function checkRoute(accept: string | undefined, available: readonly string[]): void {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === available[0]) return;
  for (const part of accept.split(',', CLAUSES_MAX)) {
    const semicolon = part.indexOf(';');
    const type = (semicolon < 0 ? part : part.slice(0, semicolon)).trim();
    if (type === '*/*' || available.includes(type)) return;
  }
  throw errors.noRepresentation(available);
}

/**
 * Checks the headers of a request for a document: its route has the same types for bodies and for responses, and rejects a `Content-Type`
 * that is none of them although nothing reads a body. Throws 415 and 406.
 */
export function checkDocumentRoute(headers: IncomingHttpHeaders, types: readonly string[]): void {
  const contentType = headers['content-type'];
  if (contentType !== undefined && contentType !== '' && !routedTypes(contentType).some((t) => types.includes(t)))
    throw errors.unsupportedContentType();
  checkRoute(headers.accept, types);
}

/** The types in a `Content-Type` as routes compare them: several may be named, parameters are left out. */
const routedTypes = (contentType: string): readonly string[] =>
  contentType.split(',', CLAUSES_MAX).map((type) => type.split(';', 1)[0]!.trim());

/** The types of a route that supports watches, as its 406 lists them. */
export function watchableTypes(server: SupportedEncodings): readonly string[] {
  return [...server.types, ...streamTypes(server)];
}

function streamTypes(server: SupportedEncodings): readonly string[] {
  return [
    `${MEDIA_TYPES.json};stream=watch`,
    `${MEDIA_TYPES.protobuf};stream=watch`,
    ...(server.encodings.includes('cbor') ? [`application/${CBOR_SEQUENCE}`] : []),
  ];
}

/** Checks the kind of representation: `as=PartialObjectMetadata` of a list is rejected, and vice versa. */
export type Shape = 'object' | 'list' | 'watch';

const META_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

/** Table and PartialObjectMetadata(List) of meta.k8s.io. A Table is served as JSON and YAML only. */
export function allowsMeta(as: Conversion, encoding: Encoding): boolean {
  if (as.group !== 'meta.k8s.io' || !META_VERSIONS.has(as.version)) return false;
  if (as.kind === 'Table') return encoding === 'json' || encoding === 'yaml';
  return as.kind === 'PartialObjectMetadata' || as.kind === 'PartialObjectMetadataList';
}

function allowsOnlyMetadata(as: Conversion, encoding: Encoding): boolean {
  return as.kind !== 'Table' && allowsMeta(as, encoding);
}

/** An error is a Status, which has no other representation. */
const allowsNothing = (): boolean => false;

export interface Wanted {
  readonly accept: string | undefined;
  readonly query: Query;
  readonly userAgent: string;
  /** Whether the resource has no Table: a clause of Accept that requests one is then not acceptable. */
  readonly withoutTable?: boolean;
}

export interface Negotiated extends Representation {
  /** This form is for lists: no event of a watch can have it. */
  readonly ofLists?: true;
  /**
   * The error if the response is of this shape: metadata of a list were requested of an object, or the reverse, a Table with unknown
   * objects, or a watch in YAML.
   */
  readonly mismatch?: ApiError;
}

/**
 * Returns the representation of an object, a list or the events of a watch. Throws 406, and 400 for an unknown `includeObject`.
 */
export function representationOf(wanted: Wanted, server: SupportedEncodings, shape: Shape, goKind: string): Negotiated {
  const found = looseRepresentationOf(wanted, server, shape, goKind);
  if (found.mismatch !== undefined) throw found.mismatch;
  return found;
}

/** `representationOf`, for a response that may have another shape: it has `mismatch` instead of throwing it. */
export function looseRepresentationOf(
  wanted: Wanted,
  server: SupportedEncodings,
  shape: Shape,
  goKind: string,
): Negotiated {
  const allows = wanted.withoutTable === true ? allowsOnlyMetadata : allowsMeta;
  const accepted = negotiate(wanted.accept, server, allows);
  // A watch cannot be encoded in YAML. Other clauses of the header are ignored, because YAML was already selected.
  if (accepted === undefined) throw errors.notAcceptable(server.types);
  if (shape === 'watch' && accepted.encoding === 'yaml')
    return { ...PLAIN_JSON, mismatch: errors.notAcceptable(streamTypes(server)) };
  const pretty = shape !== 'watch' && wantsPretty(wanted, accepted.pretty);
  const as = accepted.as;
  if (as === undefined) {
    if (accepted.encoding === 'json' && !pretty) return PLAIN_JSON;
    return { ...PLAIN_JSON, encoding: accepted.encoding, pretty };
  }
  if (as.kind === 'PartialObjectMetadataList' && shape === 'object')
    return mixedUp(`you requested PartialObjectMetadataList, but the requested object is not a list (${goKind})`);
  if (as.kind === 'PartialObjectMetadata' && shape === 'list')
    return mixedUp(`you requested PartialObjectMetadata, but the requested object is a list (${goKind}List)`);
  const included = as.kind === 'Table' ? includeObject(wanted.query) : 'Metadata';
  if (included instanceof ApiError) return { ...PLAIN_JSON, mismatch: included };
  return {
    encoding: accepted.encoding,
    form: as.kind === 'Table' ? 'table' : 'metadata',
    metaVersion: as.version as 'v1' | 'v1beta1',
    includeObject: included,
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

function mixedUp(message: string): Negotiated {
  return { ...PLAIN_JSON, mismatch: errors.notAcceptableBecause(message) };
}

function includeObject(query: Query): Representation['includeObject'] | ApiError {
  const value = query.text('includeObject');
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  return errors.badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** The query decides. Without it, browsers and command-line tools get indented output. */
export function wantsPretty(wanted: Wanted, accepted: boolean): boolean {
  const asked = wanted.query.text('pretty');
  if (asked !== '') return TRUE.has(asked);
  return accepted || BY_HAND.test(wanted.userAgent);
}

const BY_HAND = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** The encoding of a document that is not a stored object, such as a Status or discovery. */
export type DocumentForm = Pick<Representation, 'encoding' | 'pretty'>;

/** The encoding of an error. It never throws: a header that cannot be satisfied gets indented JSON. */
export function errorForm(wanted: Wanted, server: SupportedEncodings): DocumentForm {
  const accepted = negotiate(wanted.accept, server, allowsNothing);
  if (accepted === undefined) return { encoding: 'json', pretty: true };
  return { encoding: accepted.encoding, pretty: wantsPretty(wanted, accepted.pretty) };
}

/** The encoding of a request body; JSON without a Content-Type. Throws 415. */
export function bodyEncoding(contentType: string | undefined, server: SupportedEncodings): Body['encoding'] {
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

/**
 * The kind and encoding of a patch by its content type. `strategic`: whether the resource supports strategic merge patches.
 * Throws 415.
 */
export function patchTypeOf(
  contentType: string | undefined,
  server: SupportedEncodings,
  strategic: boolean,
): { readonly type: PatchType; readonly encoding: Body['encoding'] } {
  const known = PATCHES.get(contentType ?? '');
  if (known !== undefined && (strategic || known.type !== 'strategic') && server.encodings.includes(known.encoding))
    return known;
  const semicolon = contentType?.indexOf(';') ?? -1;
  const cut = semicolon > 0 ? contentType!.slice(0, semicolon) : (contentType ?? '');
  const supported = [...PATCHES]
    .filter(
      ([, p]) => (strategic || p.type !== 'strategic') && (p.encoding !== 'cbor' || server.encodings.includes('cbor')),
    )
    .map(([name]) => name);
  // In kube-apiserver a built-in kind has a route, which looks for one of several trimmed types, and a handler, which compares the
  // type as sent. A custom resource has a handler only.
  if (strategic && !routedTypes(contentType ?? '').some((type) => supported.includes(type)))
    throw errors.unsupportedContentType();
  if (!supported.includes(cut)) throw errors.unsupportedMediaType(supported);
  return PATCHES.get(cut)!;
}
