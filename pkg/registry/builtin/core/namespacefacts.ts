/** What shared code needs to know of namespaces: every object of a namespaced kind lives in one. */

export const NAMESPACES = { group: '', resource: 'namespaces' } as const;
/** Key of a namespace, without its name. */
export const NAMESPACE_PREFIX = '/registry/namespaces/';
/** The selectable field that says whether a namespace is being deleted, and its value then. */
export const PHASE_FIELD = 'status.phase';
export const TERMINATING = 'Terminating';
/** Namespaces that cannot be deleted. */
export const PERMANENT_NAMESPACES = ['default', 'kube-system', 'kube-public'] as const;
