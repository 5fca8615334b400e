export { children, type Expr, refersTo } from './ast.js';
export { equals } from './compare.js';
export {
  type Compilation,
  type Compiled,
  type CompileError,
  compile,
  compileSteps,
  failed,
  parseText,
} from './compile.js';
export { Environment, type StructType } from './environment.js';
export { estimateCost, estimateCostSteps, type SizeOf } from './estimate.js';
export { escapeName, fieldNamed } from './fieldnames.js';
export type { Outcome, Pace, Variables } from './frame.js';
export { COMPATIBLE, CURRENT, kubernetesEnvironment, type Minor } from './kubernetes.js';
export {
  authorizerValue,
  type Check,
  type CheckDecision,
  CheckMemo,
  resourceCheckValue,
} from './library/authorizer.js';
export { valueText } from './library/conversions.js';
export { jsonPatchLibrary } from './library/jsonpatch.js';
export { includesLibrary } from './library/lists.js';
export { parseDuration, parseTimestamp } from './library/time.js';
export { BIND_MACRO } from './macros.js';
export { StructValue } from './operations.js';
export { COST_EXCEEDED, Execution, Program } from './program.js';
export { Suspended } from './suspended.js';
export { RESERVED_WORDS } from './tokensets.js';
export {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  STRING,
  showType,
  struct,
  TIMESTAMP,
  type Type,
  UINT,
} from './types.js';
export {
  ArrayList,
  Bytes,
  CelError,
  CelMap,
  concatLists,
  Duration,
  EntryMap,
  fail,
  fromJson,
  isError,
  JsonList,
  JsonMap,
  List,
  Opaque,
  Optional,
  runtimeText,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from './values.js';
