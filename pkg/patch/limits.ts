/** The maximum number of operations of a JSON patch; more are refused with 413, as in kube-apiserver. */
export const jsonPatchOperationsMax = 10_000;

/** Total bytes, as JSON, that the `copy` operations of one JSON patch may add to the document. */
export const jsonPatchCopyBytesMax = 3 * 1024 * 1024;

/** Nesting of a patch document and of the result of a JSON patch; the codec has the same bound for objects. */
export const documentDepthMax = 1000;

/** Number of Update entries of an object's managedFields; older entries are merged into `ancient-changes`. */
export const updateManagersMax = 10;

/** Nesting of a field set from a client; deeper sets are invalid. No type nests half as deeply. */
export const fieldSetDepthMax = 256;

/** Total bytes of all annotations, keys and values; the last-applied annotation is not written beyond it. */
export const annotationBytesMax = 256 * 1024;

/** Parsed path elements in the cache. At the bound it is cleared. */
export const parsedElementsMax = 4096;

/** Errors reported for one applied object; further ones are dropped. */
export const typedErrorsMax = 100;

/** Unknown members of operations, and fields that a result has twice, that are reported; further ones are dropped, as in kube-apiserver. */
export const findingsMax = 100;
