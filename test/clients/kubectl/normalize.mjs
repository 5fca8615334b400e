// Removes from an output of kubectl what differs between two runs of the same commands: times, identifiers, addresses, random names.

/** Replacements in order: a pattern, and the text for what it matches. */
const RULES = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  [/https:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+/g, 'https://SERVER'],
  [/\b127\.0\.0\.1:\d+\b/g, 'SERVER'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}:(?:6443|64\d\d|65\d\d|260\d\d|261\d\d)\b/g, 'SERVER'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| ?[+-]\d{4}(?: \w+)?)?/g, 'TIME'],
  [/\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, 'LOG '],
  [/\b(\w+\.go):\d+\]/g, '$1]'],
  [/X509SHA256=[0-9a-f]+/g, 'X509SHA256=DIGEST'],
  [/debugger-\w{5}/g, 'debugger-RANDOM'],
  [/(?<=TargetPort: +)\d{4,5}(?=\/TCP)|(?<=\.\d+):\d{4,5}\b/g, 'PORT'],
  [/\/tmp\/[\w./-]+/g, 'TEMPORARY'],
  [/(resourceVersion"?: ?"?)\d+/g, '$1N'],
  [/(Resource Version: +)\d+/g, '$1N'],
  [/kubectl\/v[\w.+$:%-]+/g, 'kubectl/VERSION'],
  [/v1\.37\.\d+\S*/g, 'v1.37.N'],
  [/v0\.\d+\.\d+/g, 'v0.N'],
  [/\b10\.\d+\.\d+\.\d+\b(?!\/24)(?:\/\d+)?/g, 'CLUSTER-IP'],
  [/\b(80|8080):3\d{4}\//g, '$1:NODE-PORT/'],
  [/(nodePort"?: ?)3\d{4}/g, '$1NODE-PORT'],
  [/(NodePort: .* )3\d{4}\//g, '$1NODE-PORT/'],
  [/(-)[bcdfghjklmnpqrstvwxz2456789]{5}\b(?=[\s:"'(]|$)/g, '$1RANDOM'],
  [/\b(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+s\b|<unknown>|<invalid>/g, 'AGE'],
  [/\b\d+(?:m|h|d|y|y\d+d|d\d+h|h\d+m)\b(?= *$| ago| +\S*$)/gm, 'AGE'],
  // A configuration that does not fit its schema is 400 here, because the client sent it, and 500 in kube-apiserver.
  [/Error from server \(BadRequest\)(?=: failed to create typed patch object)/g, 'Error from server'],
  // The widths of columns depend on what was replaced.
  [/ {2,}/g, '  '],
  [/[ \t]+$/gm, ''],
  [/-{6,}/g, '------'],
];

export function normalize(text) {
  return RULES.reduce((t, [pattern, by]) => t.replace(pattern, by), text);
}
