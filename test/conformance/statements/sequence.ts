import type { JsonObject, JsonValue } from '../../../pkg/api/index.js';
import type { Changes } from '../resourceobjects.js';

/** What a response shows. */
export interface Expected {
  readonly code: number;
  /** A field that a cause of the error names. */
  readonly field?: string;
  /** Values in the response, by path. */
  readonly shows?: Readonly<Record<string, JsonValue | undefined>>;
  /** A part of the message of an error. */
  readonly message?: string;
  /** A part of a Warning header; empty: there is none. */
  readonly warning?: string;
  /** The beginning of the body. */
  readonly begins?: string;
}

export interface Step extends Expected {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'WATCH';
  readonly path: string;
  readonly body?: JsonValue;
  /** Of a PUT: changes of the object that the path shows. */
  readonly changes?: Changes;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked until the response is as expected: for what takes effect soon. */
  readonly soon?: true;
}

/**
 * A statement of a document that takes several requests. `sequences.test.ts` plays them in order, and removes the objects that
 * they created. A watch shows its first event.
 */
export interface Sequence {
  readonly section: string;
  readonly text: string;
  readonly steps: readonly Step[];
  /** Why kube-apiserver 1.37.2 answers otherwise: the document decides. */
  readonly differs?: string;
}

type More = Partial<Omit<Step, 'method' | 'path' | 'body'>>;

export const get = (path: string, more: More = {}): Step => ({ method: 'GET', path, code: 200, ...more });
export const watch = (path: string, shows: NonNullable<Expected['shows']>): Step => ({
  method: 'WATCH',
  path,
  code: 200,
  shows,
});
export const post = (path: string, body: JsonValue, more: More = {}): Step => ({
  method: 'POST',
  path,
  body,
  code: 201,
  ...more,
});
export const put = (path: string, changes: Changes, more: More = {}): Step => ({
  method: 'PUT',
  path,
  changes,
  code: 200,
  ...more,
});
export const remove = (path: string, more: More & { readonly body?: JsonObject } = {}): Step => ({
  method: 'DELETE',
  path,
  code: 200,
  ...more,
});

export type PatchType = 'json' | 'merge' | 'strategic-merge';
export const patch = (path: string, body: JsonValue, more: More = {}, type: PatchType = 'merge'): Step => ({
  method: 'PATCH',
  path,
  body,
  code: 200,
  ...more,
  headers: { 'content-type': `application/${type}-patch+json`, ...more.headers },
});
export const apply = (path: string, body: JsonValue, more: More = {}): Step => ({
  method: 'PATCH',
  path,
  body,
  code: 200,
  ...more,
  headers: { 'content-type': 'application/apply-patch+yaml' },
});

/** Asks until it is so. */
export const soon = (step: Step): Step => ({ ...step, soon: true });

export const sequence = (section: string, text: string, ...steps: readonly Step[]): Sequence => ({
  section,
  text,
  steps,
});
