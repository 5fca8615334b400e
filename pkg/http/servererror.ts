/**
 * A 500 in plain text, as kube-apiserver sends it if an authorizer fails: the request is named, and characters of HTML are escaped.
 */
export class PlainServerError extends Error {
  override readonly name = 'PlainServerError';

  /** `uri`: the path and the query of the request. */
  constructor(uri: string, why: string) {
    super(`Internal Server Error: ${JSON.stringify(uri)}: ${why}`.replace(/[&<>]/g, (c) => ESCAPES[c]!));
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
