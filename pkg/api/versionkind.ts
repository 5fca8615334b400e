/** The error of Go for JSON that is no object where a version and a kind are expected; `type` is that of the JSON value. */
export const versionKindProblem = (type: string): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ` +
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
