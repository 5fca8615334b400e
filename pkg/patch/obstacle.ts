import { getOwn, type JsonObject } from '../api/index.js';

/**
 * Where an operation meets an obstacle: there is no container at its path, or none where a value is moved or copied to, or the container
 * has no such member. For that, `moved` is the origin of a move, `copied` the destination of a copy, `replaced` the item that is replaced.
 */
export type Place = 'parent' | 'destination' | 'key' | 'moved' | 'copied' | 'replaced';

/** Why an operation does not apply. */
export class Obstacle extends Error {
  readonly at: Place;

  constructor(at: Place, message: string) {
    super(message);
    this.at = at;
  }
}

/** A member of an operation; '' if it is no text. */
export const textOf = (op: JsonObject, member: string): string => {
  const text = getOwn(op, member);
  return typeof text === 'string' ? text : '';
};

/** The error of an operation, as kube-apiserver reports it for patches of admission webhooks. */
export function sentenceOf(op: JsonObject, { at, message }: Obstacle): string {
  const [kind, path, from] = [textOf(op, 'op'), textOf(op, 'path'), textOf(op, 'from')];
  const missing = 'missing value';
  if (at === 'moved') return `error in move for path: '${from.slice(from.lastIndexOf('/') + 1)}': ${message}`;
  if (at === 'copied') return `error while adding value during copy: ${message}`;
  if (at === 'replaced') return `replace operation does not apply: doc is missing key: ${path}: ${missing}`;
  if (at === 'key')
    return kind === 'copy' && from !== ''
      ? `error in copy for from: '${from}': ${message}`
      : `error in ${kind} for path: '${path}': ${message}`;
  if (kind === 'add' || kind === 'remove')
    return `${kind} operation does not apply: doc is missing path: "${path}": ${missing}`;
  if (at === 'destination')
    return `${kind} operation does not apply: doc is missing destination path: ${path}: ${missing}`;
  if (kind === 'move' || kind === 'copy')
    return `${kind} operation does not apply: doc is missing from path: ${from}: ${missing}`;
  if (kind === 'test') return `test operation does not apply: is missing path: ${path}: ${missing}`;
  return `replace operation does not apply: doc is missing path: ${path}: ${missing}`;
}
