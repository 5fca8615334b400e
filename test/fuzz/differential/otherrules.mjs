// Questions that are not asked: about fields where the specification states another rule than kube-apiserver keeps (see
// test/golden/known.json), and about a status that changes by itself.

const OTHER_RULES = [/^endpointslice.* \/endpoints\/\d+\/hints/, /^(device|resource).*\/tolerations/, /^(device|resource).*\/opaque\/driver$/, /^(rc|replicationcontroller)\/.*\/status\/conditions/];

/** Where a controller of kube-apiserver writes the status at any time (see place.mjs). */
const KEPT_STATUS = /^flowschema\/.* \/status/;

/** Reports whether the operations on the object `id` write a field with another rule, itself or in a value around it. */
export function hasOtherRule(id, ops) {
  return ops.some((op) => pathsOf(op.path, op.value).some((path) => [...OTHER_RULES, KEPT_STATUS].some((rule) => rule.test(`${id} ${path}`))));
}

function pathsOf(path, value) {
  const within = value !== null && typeof value === 'object' ? Object.entries(value) : [];
  return [path, ...within.flatMap(([key, v]) => pathsOf(`${path}/${key}`, v))];
}
