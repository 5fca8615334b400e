// Fields where the specification states another rule than kube-apiserver keeps (see test/golden/known.json): questions about them are not asked.

const OTHER_RULES = [/^endpointslice.* \/endpoints\/\d+\/hints/, /^(device|resource).*\/tolerations/, /^(device|resource).*\/opaque\/driver$/, /^(rc|replicationcontroller)\/.*\/status\/conditions/];

/** Reports whether the operations on the object `id` write a field with another rule, itself or in a value around it. */
export function hasOtherRule(id, ops) {
  return ops.some((op) => pathsOf(op.path, op.value).some((path) => OTHER_RULES.some((rule) => rule.test(`${id} ${path}`))));
}

function pathsOf(path, value) {
  const within = value !== null && typeof value === 'object' ? Object.entries(value) : [];
  return [path, ...within.flatMap(([key, v]) => pathsOf(`${path}/${key}`, v))];
}
