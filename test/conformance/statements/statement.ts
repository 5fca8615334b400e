import type { JsonObject, JsonValue } from '../../../pkg/api/index.js';
import type { BaseName, Changes } from '../resourceobjects.js';

/**
 * The statements of the resource reference (specification document 2, in its order), each as one request and what its response shows.
 * `resources.test.ts` plays them.
 */
export interface Statement {
  readonly section: string;
  readonly text: string;
  readonly of: BaseName;
  readonly on: 'create' | 'update' | 'status' | 'merge' | 'strategic' | 'delete' | 'get' | 'list';
  readonly changes: Changes;
  /** The subresource of a get or a patch. */
  readonly below?: string;
  /** Changes of the object that exists before the request, and its status. */
  readonly given?: Changes;
  readonly status?: JsonObject;
  readonly code: number;
  /** A field that a cause of the error names. */
  readonly field?: string;
  /** Values in the response, by path. */
  readonly shows?: Readonly<Record<string, JsonValue | undefined>>;
  /** Why kube-apiserver 1.37.2 answers otherwise: the document decides. */
  readonly differs?: string;
}

type More = Omit<Partial<Statement>, 'section' | 'text' | 'of' | 'changes'>;
type Row = readonly [text: string, changes: Changes, result: string | number | More];

/** A result is the field of a 422, the code of a success, or everything else. */
export const rows = (
  section: string,
  of: BaseName,
  on: Statement['on'],
  ...all: readonly Row[]
): readonly Statement[] =>
  all.map(([text, changes, result]) => {
    const more: More =
      typeof result === 'string'
        ? { code: 422, field: result }
        : typeof result === 'number'
          ? { code: result }
          : result;
    return { section, text, of, on, changes, ...more, code: more.code ?? (on === 'create' ? 201 : 200) };
  });

export const long = (n: number, c = 'a'): string => c.repeat(n);
/** Reasons why the document decides. */
export const LIMIT = 'kube-apiserver keeps another limit';
export const LOOSE = 'kube-apiserver does not check this';

/** A condition of a ReplicationController that is valid but for `changes`. */
export const condition = (changes: JsonObject = {}): JsonObject => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'Because',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...changes,
});

/** Device tolerations that are valid. */
export const tolerations = (n: number): JsonValue[] =>
  Array.from({ length: n }, (_, i) => ({ key: `k${i}`, operator: 'Exists' }));

/** A condition of a migration that runs. */
export const migrated = (changes: JsonObject = {}): JsonObject =>
  condition({ type: 'Running', message: '', ...changes });
