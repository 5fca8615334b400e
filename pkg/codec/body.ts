import { apiVersionOf, type GroupVersionKind, isObject, type JsonObject, type JsonValue } from '../api/index.js';
import { finish, type Steps } from '../base/index.js';
import { type KindSchema, type StructSchema, sortRawExtensions } from '../schema/index.js';
import { cborSteps } from './cbor/read.js';
import { decodeCustom } from './custom.js';
import { type Decoded, fastSteps, nodeSteps, readJsonBody, type Strictness, valueSteps } from './json/decode.js';
import { topOf } from './json/node.js';
import { normaliseSteps } from './json/normal.js';
import { parseSteps } from './json/parse.js';
import {
  interpretNode,
  interpretValue,
  notConvertible,
  notRegistered,
  registeredKind,
  type TypeMeta,
  withDefaults,
} from './kind.js';
import { protobufSteps } from './protobuf/decode.js';
import { openEnvelope } from './protobuf/envelope.js';
import { yamlSteps } from './yaml/read.js';

export type BodyEncoding = 'json' | 'yaml' | 'protobuf' | 'cbor';

export interface EncodedBody {
  readonly bytes: Buffer;
  readonly encoding: BodyEncoding;
}

/**
 * The decoded body of a request. A failure is a 400: `message` is the complete message for an object, `cause` its inner
 * part, which is the message of DELETE for invalid options.
 */
export type DecodedBody =
  | {
      readonly ok: true;
      /** In normal form, with kind and apiVersion. */
      readonly object: JsonObject;
      readonly gvk: GroupVersionKind;
      readonly strict: Strictness;
    }
  | {
      readonly ok: false;
      readonly message: string;
      readonly cause: string;
      /** What a body of another version was decoded as, and its findings, which are reported before its version is refused. */
      readonly other?: { readonly gvk: GroupVersionKind; readonly strict: Strictness };
    };

export interface BodyOptions {
  /** Accepts other versions of the same kind (scale, eviction); by default the version must match too. */
  readonly otherVersions?: boolean;
  /** Looks up kinds; by default all built-in ones. */
  readonly kindOf?: (gvk: GroupVersionKind) => KindSchema | undefined;
}

/**
 * Decodes a body as the built-in kind that an endpoint expects. A body may leave out kind and apiVersion; null counts
 * as an empty object.
 */
export function decodeBody(body: EncodedBody, expected: KindSchema, options: BodyOptions = {}): DecodedBody {
  return finish(bodySteps(body, expected, options));
}

/** `decodeBody` in steps. */
export function bodySteps(body: EncodedBody, expected: KindSchema, options: BodyOptions = {}): Steps<DecodedBody> {
  return new BodyDecoder(body.bytes, expected, options).decode(body.encoding);
}

const BODY_SHOWN = 30;

/** Returns the beginning of a body for errors: the text of an object, or hexadecimal. */
function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const shown = bytes.subarray(0, BODY_SHOWN);
  const text = bytes[0] === 0x7b ? shown.toString('utf8') : shown.toString('hex');
  return bytes.length > BODY_SHOWN ? `${text} ...` : text;
}

/** Decodes one body, in the steps that all encodings share. */
class BodyDecoder {
  readonly #bytes: Buffer;
  readonly #expected: KindSchema;
  readonly #options: BodyOptions;

  constructor(bytes: Buffer, expected: KindSchema, options: BodyOptions) {
    this.#bytes = bytes;
    this.#expected = expected;
    this.#options = options;
  }

  *decode(encoding: BodyEncoding): Steps<DecodedBody> {
    const { structural } = this.#expected;
    if (structural !== undefined) return yield* this.#custom(encoding, structural);
    switch (encoding) {
      case 'json':
        return yield* this.#json();
      case 'yaml':
        return yield* this.#yaml();
      case 'protobuf':
        return yield* this.#protobuf();
      case 'cbor':
        return yield* this.#cbor();
    }
  }

  *#json(): Steps<DecodedBody> {
    const read = yield* fastSteps(this.#bytes, false);
    if (read.kind === 'refused') {
      const message = read.why('object');
      return { ok: false, message, cause: message };
    }
    const fast = read.kind === 'value' ? yield* this.#fastJson(read.value, read.members) : undefined;
    return fast ?? (yield* this.#exactJson());
  }

  /** The resource's validation checks the kind of a custom resource; here only the version is checked. */
  *#custom(encoding: BodyEncoding, structural: StructSchema): Steps<DecodedBody> {
    const read = yield* readSteps({ bytes: this.#bytes, encoding });
    if (!read.ok) {
      // The text is JSON, whose kind can be read, but one of its numbers has no value.
      const { info } = this.#expected;
      if (read.message.startsWith('json: cannot unmarshal number ')) return this.#unhandled(info, read.message);
      const broken = encoding === 'json' || encoding === 'yaml';
      return this.#unrecognized(broken ? `couldn't get version/kind; json parse error: ${read.message}` : read.message);
    }
    yield;
    const meta = interpretNode(topOf(read.value));
    if (typeof meta === 'string') return this.#unrecognized(meta);
    const { info, schema } = this.#expected;
    if (meta.kind === '') return this.#unrecognized(`Object 'Kind' is missing in '${this.#bytes.toString('utf8')}'`);
    const expected = apiVersionOf(info);
    if (meta.apiVersion !== expected) {
      const message = `the API version in the data (${meta.apiVersion}) does not match the expected API version (${expected})`;
      return { ok: false, message, cause: message };
    }
    const gvk = { group: info.group, version: info.version, kind: meta.kind };
    const decoded = yield* decodeCustom(schema, structural, read.value, read.strict);
    return decoded.ok ? this.#done(gvk, decoded.object, decoded.strict) : this.#unhandled(gvk, decoded.message);
  }

  /** Returns undefined if the text needs the exact decoder. */
  *#fastJson(value: JsonValue, members: number): Steps<DecodedBody | undefined> {
    const meta = interpretValue(value);
    if (meta === undefined || !this.#isExpected(meta)) return undefined;
    const { clean, value: object, members: found } = yield* normaliseSteps(this.#expected.schema, value);
    if (!clean || found !== members) return undefined;
    return this.#done(this.#expected.info, object as JsonObject, NOTHING);
  }

  #isExpected({ apiVersion, kind }: TypeMeta): boolean {
    const { info } = this.#expected;
    return (kind === '' || kind === info.kind) && (apiVersion === '' || apiVersion === apiVersionOf(info));
  }

  *#exactJson(): Steps<DecodedBody> {
    const parsed = yield* parseSteps(this.#bytes);
    if (!parsed.ok) return this.#unrecognized(`couldn't get version/kind; json parse error: ${parsed.message}`);
    const { node } = parsed;
    return yield* this.#typed(interpretNode(node), (kind) => nodeSteps(kind.schema, node));
  }

  *#yaml(): Steps<DecodedBody> {
    const read = yield* yamlSteps(this.#bytes);
    yield;
    if (!read.ok) return this.#unrecognized(read.message);
    const { value, duplicates } = read;
    const decoded = yield* this.#typed(interpretNode(topOf(value)), (kind) => {
      if (isObject(value)) sortRawExtensions(value, kind.schema);
      return valueSteps(kind.schema, value);
    });
    if (decoded.ok) return { ...decoded, strict: yamlStrictness(duplicates, decoded.strict) };
    const { other } = decoded;
    if (other === undefined) return decoded;
    return { ...decoded, other: { ...other, strict: yamlStrictness(duplicates, other.strict) } };
  }

  *#cbor(): Steps<DecodedBody> {
    const read = yield* cborSteps(this.#bytes);
    if (!read.ok) return this.#unrecognized(`unable to determine group/version/kind: ${read.message}`);
    const { value } = read;
    yield;
    return yield* this.#typed(interpretNode(topOf(value)), (kind) => valueSteps(kind.schema, value));
  }

  *#protobuf(): Steps<DecodedBody> {
    const opened = openEnvelope(this.#bytes);
    if (!opened.ok) return this.#unrecognized(opened.message);
    const { envelope } = opened;
    return yield* this.#typed(envelope, (kind) => protobufSteps(kind.schema, envelope.raw));
  }

  *#typed(meta: TypeMeta | string, decode: (kind: KindSchema) => Steps<Decoded>): Steps<DecodedBody> {
    if (typeof meta === 'string') return this.#unrecognized(meta);
    const expected = this.#expected;
    const resolved = withDefaults(meta, expected.info);
    if (!resolved.ok) return this.#unrecognized(resolved.message);
    const { gvk } = resolved;
    if (gvk.version === '')
      return this.#unhandled(gvk, `Object 'apiVersion' is missing in '${this.#bytes.toString('utf8')}'`);
    const same =
      gvk.kind === expected.info.kind && gvk.version === expected.info.version && gvk.group === expected.info.group;
    const kind = same ? expected : (this.#options.kindOf ?? registeredKind)(gvk);
    if (kind === undefined) return this.#unhandled(gvk, notRegistered(gvk));
    const decoded = yield* decode(kind);
    if (!decoded.ok) return this.#unhandled(gvk, decoded.message);
    if (!same && gvk.kind !== expected.info.kind) return this.#unhandled(gvk, notConvertible(kind, expected));
    if (!same && !this.#options.otherVersions) {
      const message = `the API version in the data (${apiVersionOf(gvk)}) does not match the expected API version (${apiVersionOf(expected.info)})`;
      return { ok: false, message, cause: message, other: { gvk, strict: decoded.strict } };
    }
    return this.#done(gvk, decoded.object, decoded.strict);
  }

  #done(gvk: GroupVersionKind, object: JsonObject, strict: Strictness): DecodedBody {
    object['kind'] = gvk.kind;
    object['apiVersion'] = apiVersionOf(gvk);
    return { ok: true, object, gvk: { group: gvk.group, version: gvk.version, kind: gvk.kind }, strict };
  }

  #unrecognized(cause: string): DecodedBody {
    const kind = this.#expected.info.kind;
    const message = `the object provided is unrecognized (must be of type ${kind}): ${cause} (${summary(this.#bytes)})`;
    return { ok: false, message, cause };
  }

  #unhandled(gvk: GroupVersionKind, cause: string): DecodedBody {
    const message = `${gvk.kind} in version "${gvk.version}" cannot be handled as a ${this.#expected.info.kind}: ${cause}`;
    return { ok: false, message, cause };
  }
}

const NOTHING: Strictness = { errors: [], warnings: [] };

/** Returns the message of the 400 for a Strict request with findings. */
export function strictMessage(gvk: GroupVersionKind, expected: GroupVersionKind, strict: Strictness): string {
  return `${gvk.kind} in version "${gvk.version}" cannot be handled as a ${expected.kind}: strict decoding error: ${strict.errors.join(', ')}`;
}

/** Decodes a body without a schema: a patch or a custom resource. */
export type ReadBody =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** Finds duplicate keys only; unknown fields need a schema. */
      readonly strict: Strictness;
    }
  | { readonly ok: false; readonly message: string };

/** Parses a body to a plain value. Protobuf requires a schema. Error messages are those of the encoding's parser. */
export function readBody(body: EncodedBody): ReadBody {
  return finish(readSteps(body));
}

/** `readBody` in steps. */
export function* readSteps({ bytes, encoding }: EncodedBody): Steps<ReadBody> {
  switch (encoding) {
    case 'json': {
      const read = yield* readJsonBody(bytes);
      if (!read.ok) return read;
      const { value, duplicates } = read;
      return { ok: true, value, strict: { errors: duplicates, warnings: duplicates } };
    }
    case 'yaml': {
      const read = yield* yamlSteps(bytes);
      return read.ok ? { ok: true, value: read.value, strict: yamlStrictness(read.duplicates, NOTHING) } : read;
    }
    case 'cbor': {
      const read = yield* cborSteps(bytes);
      return read.ok ? { ok: true, value: read.value, strict: NOTHING } : read;
    }
    case 'protobuf':
      return { ok: false, message: 'protobuf cannot be read without a schema' };
  }
}

/**
 * Duplicate keys of YAML are one error with a line for each key, but one warning for each key. They precede the
 * decoder's findings.
 */
function yamlStrictness(duplicates: readonly string[], found: Strictness): Strictness {
  if (duplicates.length === 0) return found;
  const error = `yaml: unmarshal errors:\n${duplicates.map((d) => `  ${d}`).join('\n')}`;
  return { errors: [error, ...found.errors], warnings: [...duplicates, ...found.warnings] };
}
