/**
 * Module-level state is shared by all servers of a process. The only state that may be shared is a cache whose content
 * does not depend on the server that fills it, or a buffer that is empty again when a synchronous call returns.
 * Everything else belongs to an object of the server.
 */

/** A pure function of its key, so it does not matter which server computed the value. */
const PURE = 'a pure function of its key';
/** Keyed by an immutable schema, from which the value is computed. */
const OF_SCHEMA = 'a pure function of an immutable schema';
/** Written and read within one synchronous call. */
const IN_ONE_CALL = 'used within one synchronous call';
/** Computed once from files of the program. */
const OF_PROGRAM = 'a part of the program, loaded on first use';
/** Keyed by an object of one server, and freed with it. */
const OF_OBJECT = 'keyed by an object that belongs to one server';

/** The allowed module-level state, by file and name, with the reason. */
export const sharedState: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pkg/cache/sharedvalues.ts': { isSealing: 'set by tests only, before the first cache' },
  'pkg/admission/podsecuritychecks.ts': { known: PURE },
  'pkg/admission/quotausage.ts': { evaluators: 'filled while the module is loaded, and not changed afterwards' },
  'pkg/audit/event.ts': {
    users: OF_OBJECT,
    clients: OF_OBJECT,
    codes: PURE,
    annotated: PURE,
    lastParts: PURE,
  },
  'pkg/audit/text.ts': { lastSecond: PURE, lastSecondPiece: PURE },
  'pkg/auth/user.ts': { authenticated: OF_OBJECT },
  'pkg/api/quantity.ts': { recent: PURE },
  'pkg/http/negotiate.ts': { parsedHeaders: PURE },
  'pkg/api/names.ts': { QUALIFIED_CLASSES: 'a constant table' },
  'pkg/api/selectors.ts': { CLASSES: 'a constant table' },
  'pkg/cel/kubernetes.ts': { environments: PURE },
  'pkg/cel/lexer.ts': { lastTriples: PURE },
  'pkg/cel/library/arithmetic.ts': { unsupported: PURE },
  'pkg/cel/library/regex.ts': { patterns: PURE, engine: OF_PROGRAM },
  'pkg/cel/library/time.ts': { formats: PURE },
  'pkg/schema/structural/embeds.ts': { embedding: OF_SCHEMA },
  'pkg/codec/json/normal.ts': {
    clean: IN_ONE_CALL,
    members: IN_ONE_CALL,
    itemsLeft: IN_ONE_CALL,
    putOff: IN_ONE_CALL,
  },
  'pkg/codec/protobuf/decode.ts': { messages: OF_SCHEMA },
  'pkg/codec/json/encode.ts': { differs: 'set and read during one synchronous write' },
  'pkg/codec/protobuf/encode.ts': { messages: OF_SCHEMA },
  'pkg/codec/protobuf/writer.ts': { scratch: 'a buffer that one writer at a time takes and gives back' },
  'pkg/codec/yaml/write.ts': { knownKeys: PURE },
  'pkg/http/audit.ts': { allowed: PURE, addresses: OF_OBJECT },
  'pkg/http/exchange1.ts': { connections: OF_OBJECT },
  'pkg/http/exchange2.ts': { sessions: OF_OBJECT },
  'pkg/http/parting.ts': { parting: OF_OBJECT },
  'pkg/http/options.ts': { DEFAULTS: PURE },
  'pkg/outbound/errors.ts': { ends: OF_OBJECT },
  'pkg/patch/apply/element.ts': { declared: PURE, remembered: PURE },
  'pkg/patch/apply/managed.ts': { lastSecond: PURE, lastText: PURE },
  'pkg/patch/apply/manager.ts': { ignoredSets: 'a pure function of an immutable list of paths' },
  'pkg/patch/apply/shape.ts': { byElement: OF_SCHEMA, keyFields: OF_SCHEMA },
  'pkg/peer/durability/wal/crc32c.ts': { table: 'a constant table' },
  'pkg/peer/durability/wal/spare.ts': { ZEROS: 'never written' },
  'pkg/registry/builtin/resource/expressions.ts': { environments: PURE },
  'pkg/registry/custom/definition.ts': { heads: OF_OBJECT },
  'pkg/schema/declarative/validate.ts': { parsed: OF_SCHEMA, modal: OF_SCHEMA },
  'pkg/schema/docs.ts': { packages: OF_PROGRAM },
  'pkg/schema/internal/forms.ts': { read: OF_PROGRAM, compiled: OF_SCHEMA },
  'pkg/schema/kinds.ts': { index: OF_PROGRAM },
  'pkg/schema/load.ts': { packages: OF_PROGRAM, named: OF_PROGRAM },
  'pkg/schema/openapi/definitions.ts': { gvksByType: OF_PROGRAM },
  'pkg/schema/structural/constraints.ts': { patterns: PURE, engine: OF_PROGRAM },
  'pkg/schema/structural/type.ts': { anyObject: OF_PROGRAM },
  'pkg/schema/zero.ts': { zeros: OF_SCHEMA },
  'pkg/controllers/observe.ts': { names: OF_OBJECT },
  'pkg/server/cluster.ts': { prefixes: OF_OBJECT },
  'pkg/storage/checksum.ts': { table: 'a constant table' },
  'pkg/storage/engine/binding.ts': { loaded: OF_PROGRAM },
  'pkg/storage/mvcc/row.ts': { scratch: IN_ONE_CALL },
  'pkg/storage/mvcc/state.ts': { keyScratch: IN_ONE_CALL },
};
