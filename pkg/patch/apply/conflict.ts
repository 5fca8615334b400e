import { compareText, goQuote } from '../../api/index.js';
import { type PathElement, pathText } from './element.js';
import { type FieldSet, hasPath, paths } from './field-set.js';
import type { Owner } from './managed.js';
import type { ConflictError } from './update.js';

/**
 * The error for a refused apply: the message and the causes of the Status, one cause for each conflicting field and
 * owner.
 */
export interface ApplyConflict {
  readonly message: string;
  readonly causes: readonly ConflictCause[];
}

export interface ConflictCause {
  readonly reason: 'FieldManagerConflict';
  /** `conflict with "c" using v1` */
  readonly message: string;
  /** `.spec.containers[name="c"].image` */
  readonly field: string;
}

interface Entry {
  readonly key: string;
  readonly owner: Owner;
  readonly path: readonly PathElement[];
}

export function conflictOf(e: ConflictError): ApplyConflict {
  return describe(entriesOf(e));
}

/** Returns the conflict without the fields of a set; undefined if none is left. */
export function withoutPaths(e: ConflictError, allowed: FieldSet): ApplyConflict | undefined {
  const left = entriesOf(e).filter((entry) => !hasPath(allowed, entry.path));
  return left.length === 0 ? undefined : describe(left);
}

function entriesOf(e: ConflictError): Entry[] {
  const keys = [...e.conflicts.keys()].sort(compareText);
  return keys.flatMap((key) => paths(e.conflicts.get(key)!).map((path) => ({ key, owner: e.owners.get(key)!, path })));
}

function describe(entries: readonly Entry[]): ApplyConflict {
  const causes = entries.map(
    ({ owner, path }): ConflictCause => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${ownerText(owner)}`,
      field: pathText(path),
    }),
  );
  if (entries.length === 1) {
    return { message: `Apply failed with 1 conflict: ${causes[0]!.message}: ${causes[0]!.field}`, causes };
  }
  const lines: string[] = [];
  for (const [i, { key, owner }] of entries.entries()) {
    if (key !== entries[i - 1]?.key) lines.push(`conflicts with ${ownerText(owner)}:`);
    lines.push(`- ${causes[i]!.field}`);
  }
  return { message: `Apply failed with ${entries.length} conflicts: ${lines.join('\n')}`, causes };
}

function ownerText(owner: Owner): string {
  let text = goQuote(owner.manager);
  if (owner.subresource !== '') text += ` with subresource ${goQuote(owner.subresource)}`;
  return owner.operation === 'Update' ? `${text} using ${owner.apiVersion}` : text;
}
