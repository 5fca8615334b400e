/** Most operations of one JSON patch; more is 413 (as the reference). */
export const jsonPatchOperationsMax = 10_000;

/** Bytes, as JSON, that the `copy` operations of one JSON patch may add to the document together. */
export const jsonPatchCopyBytesMax = 3 * 1024 * 1024;

/** Nesting of a patch document and of what a JSON patch makes; what the codec keeps of an object is no deeper either. */
export const documentDepthMax = 1000;

/** Update entries that an object's managedFields keep apart; the oldest beyond that are merged into `ancient-changes`. */
export const updateManagersMax = 10;

/** Nesting of a field set that a client may hand in; deeper is no field set. No type of ours nests half as deep. */
export const fieldSetDepthMax = 256;

/** Bytes of all annotations together, keys and values; the last-applied annotation is not written beyond it. */
export const annotationBytesMax = 256 * 1024;

/** Parsed path elements remembered between calls. When the memory is full it is emptied. */
export const parsedElementsMax = 4096;

/** Errors reported for one applied object; the rest is noise. */
export const typedErrorsMax = 100;
