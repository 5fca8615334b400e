/** A path or query parameter, independent of the OpenAPI version. */
export interface Parameter {
  readonly in: 'path' | 'query';
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

export function queryOf(name: string, type: Parameter['type'], description: string): Parameter {
  return { in: 'query', name, type, description };
}

export function pathParameter(name: string, description: string): Parameter {
  return { in: 'path', name, type: 'string', description };
}

export const prettyQuery = queryOf('pretty', 'string', 'write JSON with line breaks and indentation');

export const versionQuery = queryOf(
  'resourceVersion',
  'string',
  'version of the state that the answer may or must show',
);

/** Parameters of deletecollection; list and watch have these and the two below. */
export const listQuery: readonly Parameter[] = [
  queryOf('continue', 'string', 'token of the previous page: go on after it, at the same version'),
  queryOf('fieldSelector', 'string', 'only objects whose fields have these values'),
  queryOf('labelSelector', 'string', 'only objects whose labels match'),
  queryOf('limit', 'integer', 'largest number of objects in one answer; the rest follows page by page'),
  versionQuery,
  queryOf('resourceVersionMatch', 'string', 'how resourceVersion is meant: NotOlderThan or Exact'),
  queryOf('sendInitialEvents', 'boolean', 'begin a watch with the objects that exist, ended by a bookmark'),
  queryOf('shardSelector', 'string', 'only objects of this shard'),
  queryOf('timeoutSeconds', 'integer', 'end the request after this time, whatever it does'),
];

export const watchQuery: readonly Parameter[] = [
  queryOf('allowWatchBookmarks', 'boolean', 'send bookmark events now and then'),
  ...listQuery,
  queryOf('watch', 'boolean', 'answer with changes as they happen instead of a list'),
];

export const deleteQuery: readonly Parameter[] = [
  queryOf('dryRun', 'string', 'All: do everything but keep the result'),
  queryOf('gracePeriodSeconds', 'integer', 'seconds until the object goes; 0 is at once'),
  queryOf(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'delete an object even when what is stored cannot be read',
  ),
  queryOf('orphanDependents', 'boolean', 'old form of propagationPolicy: true keeps the dependents'),
  queryOf('propagationPolicy', 'string', 'what happens to dependents: Orphan, Background or Foreground'),
];

export const writeQuery: readonly Parameter[] = [
  queryOf('dryRun', 'string', 'All: do everything but keep the result'),
  queryOf('fieldManager', 'string', 'name under which the changed fields are recorded'),
  queryOf('fieldValidation', 'string', 'what unknown and duplicate fields mean: Ignore, Warn or Strict'),
];
