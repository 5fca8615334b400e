/** Keywords of Kubernetes in the schemas of CustomResourceDefinitions. */
export const EMBEDDED = 'x-kubernetes-embedded-resource';
export const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
export const INT_OR_STRING = 'x-kubernetes-int-or-string';
export const LIST_TYPE = 'x-kubernetes-list-type';
export const LIST_KEYS = 'x-kubernetes-list-map-keys';
export const MAP_TYPE = 'x-kubernetes-map-type';
