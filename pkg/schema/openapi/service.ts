import type { JsonObject, JsonValue } from '../../api/index.js';
import { Definitions } from './definitions.js';
import { encodeHead, encodePart, encodeTail } from './gnostic.js';
import { documentV3, encodeHeadV3, encodePathV3, encodeSchemaV3 } from './gnostic3.js';
import { type DatedDocument, DocumentMemory, type EncodedDocument, encoded, KeptDocument } from './kept.js';
import { mergedParts } from './merge.js';
import { jsonOf } from './numbers.js';
import type { RemoteDocument } from './remote.js';
import { rootNames, rootPaths } from './roots.js';
import type { ApiDescription, ApiGroupVersion } from './served.js';
import { swaggerHead, swaggerTail } from './swagger.js';
import { document, groupVersionDocument, LARGE, writePath } from './v3.js';

/**
 * The media types of the v2 document in protobuf: those in requests (the first is older and not a valid media type), and that of the
 * response, because Go clients reject an `@` there.
 */
export const OPENAPI_V2_PROTOBUF = {
  accepted: [
    'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  ],
  contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
} as const;

/** The same of the v3 documents. */
export const OPENAPI_V3_PROTOBUF = {
  accepted: [
    'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
    'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
  ],
  contentType: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
} as const;

export type DocumentForm = 'json' | 'protobuf';

/**
 * The OpenAPI documents of one snapshot of the served resources. Each is made at the first request, and kept as long as those used
 * since fit into a bound. For a new snapshot the caller makes a new `OpenApi` with the former one as `previous`; the documents of
 * unchanged group versions are reused.
 */
export interface OpenApi {
  readonly api: ApiDescription;
  /** `/openapi/v3`: every document with its hash. */
  v3Index(): Promise<EncodedDocument>;
  /** `/openapi/v3/<name>`: `api/v1`, `apis/apps/v1`, `apis/apps`, `version`. Undefined if the document does not exist. */
  v3(name: string, form?: DocumentForm): Promise<DatedDocument | undefined>;
  hasV3(name: string): boolean;
  /** `/openapi/v2`; `protobuf` is what `OPENAPI_V2_PROTOBUF` names. */
  v2(form: DocumentForm): Promise<DatedDocument>;
  /** The hash of the v2 document, if it was made before. */
  v2Hash(form: DocumentForm): string | undefined;
  /** The hash of a v3 document in JSON; undefined if it does not exist. */
  v3Hash(name: string): Promise<string | undefined>;
  /** Bytes of documents in memory. */
  readonly bytesKept: number;
}

export interface OpenApiOptions {
  readonly api: ApiDescription;
  /** The documents of aggregated servers, for `/openapi/v2` only; the most important first. */
  readonly remote?: readonly RemoteDocument[];
  /** Yields to other work (`setImmediate` as a promise); called after every few milliseconds. */
  readonly pause: () => Promise<void>;
  /** The time in Unix milliseconds, which documents show as that of their last change. */
  readonly now: () => number;
  readonly previous?: OpenApi;
}

/** Pieces of work between two yields: one or two milliseconds, more before the code is optimized. */
const STEPS_PER_TURN = 16;
/** A larger piece ends the turn. */
const TURN_BYTES = 32 * 1024;

export function createOpenApi(options: OpenApiOptions): OpenApi {
  return new Documents(options);
}

class Documents implements OpenApi {
  readonly api: ApiDescription;
  readonly #remote: readonly RemoteDocument[];
  readonly #pause: () => Promise<void>;
  readonly #v3 = new Map<string, Encodings>();
  readonly #v2: Readonly<Record<DocumentForm, KeptDocument>>;
  readonly #memory: DocumentMemory;
  /** The input of the document of each group version, to detect changes. */
  readonly #sources = new Map<string, ApiGroupVersion>();
  readonly #index: KeptDocument;

  constructor({ api, pause, now, previous, remote = [] }: OpenApiOptions) {
    this.api = api;
    this.#remote = remote;
    this.#pause = pause;
    const old = previous instanceof Documents ? previous : undefined;
    this.#memory = old?.sharedMemory ?? new DocumentMemory(now);
    this.#index = new KeptDocument(this.#memory, () => this.#makeIndex());
    this.#v2 = {
      json: new KeptDocument(this.#memory, () => this.#swaggerJson()),
      protobuf: new KeptDocument(this.#memory, () => this.#swaggerProtobuf()),
    };
    for (const gv of api.groupVersions) {
      const name = gv.group === '' ? `api/${gv.version}` : `apis/${gv.group}/${gv.version}`;
      this.#sources.set(name, gv);
      const former = old !== undefined && old.api.version === api.version ? old.#sources.get(name) : undefined;
      const kept = old !== undefined && former !== undefined && isSame(former, gv) ? old.#v3.get(name) : undefined;
      this.#v3.set(name, kept ?? encodings(this.#memory, () => groupVersion(gv, api.version, pause), pause));
    }
    for (const name of rootNames(api)) {
      this.#v3.set(
        name,
        encodings(this.#memory, () => Promise.resolve(root(name, api)), pause),
      );
    }
    if (old !== undefined) old.#forget(this);
  }

  /** Drops the documents that a later snapshot does not use. */
  #forget(later: Documents): void {
    for (const document of [this.#index, this.#v2.json, this.#v2.protobuf]) document.drop();
    for (const [name, { json, protobuf }] of this.#v3) {
      if (later.#v3.get(name)?.json === json) continue;
      json.drop();
      protobuf.drop();
    }
  }

  get sharedMemory(): DocumentMemory {
    return this.#memory;
  }

  get bytesKept(): number {
    return this.#memory.bytes;
  }

  v3Index(): Promise<EncodedDocument> {
    return this.#index.get();
  }

  async v3(name: string, form: DocumentForm = 'json'): Promise<DatedDocument | undefined> {
    return this.#v3.get(name)?.[form].get();
  }

  hasV3(name: string): boolean {
    return this.#v3.has(name);
  }

  async v3Hash(name: string): Promise<string | undefined> {
    return this.#v3.get(name)?.json.hash();
  }

  v2(form: DocumentForm): Promise<DatedDocument> {
    return this.#v2[form].get();
  }

  v2Hash(form: DocumentForm): string | undefined {
    return this.#v2[form].knownHash;
  }

  async #makeIndex(): Promise<EncodedDocument> {
    const paths: JsonObject = {};
    for (const name of [...this.#v3.keys()].sort()) {
      const hash = await (this.#v3.get(name) as Encodings).json.hash();
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` };
    }
    return encoded([Buffer.from(JSON.stringify({ paths }))], this.#pause);
  }

  async #swaggerJson(): Promise<EncodedDocument> {
    const paths: JsonObject = {};
    // Written at once, so that no more than one schema of a custom resource is in memory as an object.
    const definitions = new JsonPieces(this.#pause);
    const parameters: JsonObject = {};
    definitions.open();
    let n = 0;
    for (const part of mergedParts(this.api, this.#remote)) {
      if (part === LARGE || ++n % STEPS_PER_TURN === 0) await this.#pause();
      if (part === LARGE || part === undefined) continue;
      if (part.kind === 'path') paths[part.name] = part.item;
      else if (part.kind === 'parameter') parameters[part.name] = part.parameter;
      else await definitions.member(part.name, part.schema);
    }
    definitions.close();
    const out = new JsonPieces(this.#pause);
    out.text(`${JSON.stringify(swaggerHead(this.api.version)).slice(0, -1)},"paths":`);
    await out.object(Object.fromEntries(Object.entries(paths).sort(byKey)));
    out.text(',"definitions":');
    const tail = Buffer.from(`,${JSON.stringify({ parameters, ...swaggerTail }).slice(1)}`);
    return encoded([...out.finish(), ...definitions.finish(), tail], this.#pause);
  }

  async #swaggerProtobuf(): Promise<EncodedDocument> {
    const pieces: Uint8Array[] = [encodeHead(swaggerHead(this.api.version))];
    let n = 0;
    for (const part of mergedParts(this.api, this.#remote)) {
      const piece = part === undefined || part === LARGE ? undefined : encodePart(part);
      if (piece !== undefined) pieces.push(piece);
      if (part === LARGE || (piece?.length ?? 0) > TURN_BYTES || ++n % STEPS_PER_TURN === 0) await this.#pause();
    }
    pieces.push(encodeTail(swaggerTail));
    return encoded(pieces, this.#pause);
  }
}

/** Callers pass the same value for an unchanged resource. */
function isSame(a: ApiGroupVersion, b: ApiGroupVersion): boolean {
  return a.resources.length === b.resources.length && a.resources.every((r, i) => r === b.resources[i]);
}

// Free functions, so that a reused document does not keep the documents of its former snapshot in memory.

async function groupVersion(gv: ApiGroupVersion, version: string, pause: () => Promise<void>): Promise<JsonObject> {
  const steps = groupVersionDocument(gv, version);
  for (let n = 1; ; n++) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (step.value === LARGE || n % STEPS_PER_TURN === 0) await pause();
  }
}

function root(name: string, api: ApiDescription): JsonObject {
  const definitions = new Definitions('v3', []);
  const [found] = rootPaths(api, definitions, name);
  while (definitions.writeNext());
  const paths: JsonObject = {};
  for (const [path, operations] of found?.paths ?? []) paths[path] = writePath(operations);
  return document(api.version, paths, definitions.sorted());
}

/** The forms of a document. Its parts are not kept; a rarely requested form is made again. */
type Encodings = Readonly<Record<DocumentForm, KeptDocument>>;

function encodings(memory: DocumentMemory, make: () => Promise<JsonObject>, pause: () => Promise<void>): Encodings {
  return {
    json: new KeptDocument(memory, async () => encodeDocument(await make(), pause)),
    protobuf: new KeptDocument(memory, async () => encodeProtobuf(await make(), pause)),
  };
}

async function encodeProtobuf(made: JsonObject, pause: () => Promise<void>): Promise<EncodedDocument> {
  const { paths, components, ...head } = made as { paths: JsonObject; components: JsonObject };
  const { schemas, ...security } = components as { schemas: JsonObject };
  let n = 0;
  const all = async (o: JsonObject, encode: (name: string, o: JsonObject) => Uint8Array): Promise<Uint8Array[]> => {
    const pieces: Uint8Array[] = [];
    for (const [name, value] of Object.entries(o)) {
      const piece = encode(name, value as JsonObject);
      pieces.push(piece);
      if (piece.length > TURN_BYTES || ++n % STEPS_PER_TURN === 0) await pause();
    }
    return pieces;
  };
  const [items, definitions] = [await all(paths, encodePathV3), await all(schemas, encodeSchemaV3)];
  return encoded(documentV3(encodeHeadV3(head), items, definitions, security), pause);
}

/** Encodes path by path and schema by schema: the largest document as one string would block the event loop for about 20 ms. */
async function encodeDocument(made: JsonObject, pause: () => Promise<void>): Promise<EncodedDocument> {
  const { paths, components, ...head } = made as { paths: JsonObject; components: JsonObject };
  const { schemas, ...security } = components as { schemas: JsonObject };
  const after = JSON.stringify(security).slice(1, -1);
  const out = new JsonPieces(pause);
  out.text(`${JSON.stringify(head).slice(0, -1)},"paths":`);
  await out.object(paths);
  out.text(',"components":{');
  if (Object.keys(schemas).length > 0) {
    out.text('"schemas":');
    await out.object(schemas);
    if (after !== '') out.text(',');
  }
  out.text(`${after}}}`);
  return encoded(out.finish(), pause);
}

const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;

/** Writes JSON member by member, and yields in between. */
class JsonPieces {
  readonly #pieces: Buffer[] = [];
  readonly #pause: () => Promise<void>;
  #members = 0;
  /** Before the next member of the object that is open. */
  #separator = '{';

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  text(text: string): void {
    this.#pieces.push(Buffer.from(text));
  }

  async object(o: JsonObject): Promise<void> {
    this.open();
    for (const [name, value] of Object.entries(o)) await this.member(name, value);
    this.close();
  }

  open(): void {
    this.#separator = '{';
  }

  async member(name: string, value: JsonValue | undefined): Promise<void> {
    const text = `${this.#separator}${JSON.stringify(name)}:${jsonOf(value)}`;
    this.text(text);
    this.#separator = ',';
    if (text.length > TURN_BYTES || ++this.#members % STEPS_PER_TURN === 0) await this.#pause();
  }

  close(): void {
    this.text(this.#separator === '{' ? '{}' : '}');
  }

  finish(): readonly Buffer[] {
    return this.#pieces;
  }
}
