/** Constants of namespaces that shared code uses. */

export const NAMESPACES = { group: '', resource: 'namespaces' } as const;
/** The key prefix of namespaces. */
export const NAMESPACE_PREFIX = '/registry/namespaces/';
/** The selectable field, and its value, of a namespace that is being deleted. */
export const PHASE_FIELD = 'status.phase';
export const TERMINATING = 'Terminating';
/** Namespaces that cannot be deleted. */
export const PERMANENT_NAMESPACES = ['default', 'kube-system', 'kube-public'] as const;
