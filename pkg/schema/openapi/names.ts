import type { GroupVersion } from '../../api/index.js';

/** Go packages outside `k8s.io/api`, as in OpenAPI names. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['meta/v1', 'io.k8s.apimachinery.pkg.apis.meta.v1'],
  ['runtime', 'io.k8s.apimachinery.pkg.runtime'],
  ['apiextensions/v1', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'],
  ['apiregistration/v1', 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1'],
]);

/** `core/v1.PodSpec` -> `io.k8s.api.core.v1.PodSpec`. */
export function definitionName(type: string): string {
  const dot = type.lastIndexOf('.');
  const pkg = type.slice(0, dot);
  return `${ELSEWHERE.get(pkg) ?? `io.k8s.api.${pkg.replace('/', '.')}`}.${type.slice(dot + 1)}`;
}

/** Of a custom resource: `stable.example.com`, `v1`, `CronTab` -> `com.example.stable.v1.CronTab`. */
export function customDefinitionName(gv: GroupVersion, kind: string): string {
  return `${gv.group.split('.').reverse().join('.')}.${gv.version}.${kind}`;
}

/** The group and version in operation ids: `CoreV1`, `RbacAuthorizationV1`, `StableExampleComV1`, `JobsetXK8sIoV1`. */
export function operationScope(gv: GroupVersion): string {
  return identifier(`${shortGroup(gv)}.${gv.version}`, true);
}

/** `core_v1`, `rbacAuthorization_v1`: the tag of all operations of a group version. */
export function operationTag(gv: GroupVersion): string {
  return `${identifier(shortGroup(gv), false)}_${gv.version}`;
}

const shortGroup = (gv: GroupVersion): string => (gv.group === '' ? 'core' : gv.group.replace(/\.k8s\.io$/, ''));

/** The letters and digits of a text, without a digit that is its first character. What follows any other character is capital. */
function identifier(text: string, capitalFirst: boolean): string {
  let out = '';
  let raised = capitalFirst;
  for (const [i, c] of [...text].entries()) {
    const kept = /[A-Za-z]/.test(c) || (i > 0 && /\d/.test(c));
    if (kept) out += raised ? c.toUpperCase() : c;
    raised = !kept;
  }
  return out;
}

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
