import type { GroupVersionResource } from '../api/index.js';
import type { ResourceDeclaration } from './resource.js';

/**
 * `--runtime-config`: `apps/v1` (a group version; of the core group `v1`, `/v1` or `api/v1`), `apps/v1/deployments` (a resource),
 * `api/all`, `api/ga`, `api/beta`, `api/alpha` -> on or off.
 */
export type RuntimeConfig = ReadonlyMap<string, boolean>;

/** Stable versions are served unless disabled, alpha and beta ones only if enabled. The more specific key wins. */
export function isServed(gvr: GroupVersionResource, config: RuntimeConfig): boolean {
  const version = gvr.group === '' ? gvr.version : `${gvr.group}/${gvr.version}`;
  const level = /alpha/.test(gvr.version) ? 'api/alpha' : /beta/.test(gvr.version) ? 'api/beta' : 'api/ga';
  const core = gvr.group === '' ? [`api/${version}`, `/${version}`] : [];
  const named = (suffix: string): boolean | undefined =>
    [version, ...core].map((v) => config.get(`${v}${suffix}`)).find((on) => on !== undefined);
  return named(`/${gvr.resource}`) ?? named('') ?? config.get(level) ?? config.get('api/all') ?? level === 'api/ga';
}

/** Keys for all versions of a level. */
const LEVELS: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha'];
/**
 * Versions that kube-apiserver accepts in this flag and no longer serves. Existing command lines contain them, mostly
 * to disable them.
 */
const VERSIONS_PAST: ReadonlySet<string> = new Set([
  'apps/v1beta1',
  'apps/v1beta2',
  'authentication.k8s.io/v1alpha1',
  'authentication.k8s.io/v1beta1',
  'authorization.k8s.io/v1beta1',
  'autoscaling/v2beta1',
  'autoscaling/v2beta2',
  'batch/v1beta1',
  'batch/v2alpha1',
  'coordination.k8s.io/v1beta1',
  'discovery.k8s.io/v1beta1',
  'events.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1alpha1',
  'flowcontrol.apiserver.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta2',
  'flowcontrol.apiserver.k8s.io/v1beta3',
  'node.k8s.io/v1alpha1',
  'node.k8s.io/v1beta1',
  'policy/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'rbac.authorization.k8s.io/v1beta1',
  'scheduling.k8s.io/v1beta1',
]);

/**
 * Returns the error for the keys, with the message of kube-apiserver, or undefined. Unknown resources are accepted, as
 * in kube-apiserver, so that a command line remains valid after the removal of a resource.
 */
export function runtimeConfigProblem(
  config: RuntimeConfig,
  resources: readonly ResourceDeclaration[],
): string | undefined {
  const groups = new Set<string>();
  const versions = new Set<string>();
  for (const resource of resources)
    for (const version of resource.versions) {
      const group = version.group ?? resource.group;
      groups.add(group);
      versions.add(`${group}/${version.version}`);
    }
  if (config.get('api/all') === false && config.size === 1) return 'invalid runtime-config with only api/all=false';
  // The core group may be written by its older name or the path of its version.
  const keys = [...config.keys()].filter((key) => !LEVELS.includes(key) && !/^(api\/)?v1(\/[^/]+)?$/.test(key));
  const split = keys.map((key) => ({ key, parts: key.split('/') }));
  const invalid = split.find(({ parts }) => parts.length !== 2 && parts.length !== 3);
  if (invalid !== undefined) return `runtime-config invalid key ${invalid.key}`;
  const of = split.map(({ key, parts }) => ({
    key,
    group: parts[0]!,
    resource: parts[2],
    version: parts.slice(0, 2).join('/'),
  }));
  const unknown = of.filter(({ group }) => !groups.has(group));
  if (unknown.length > 0) return `unknown api groups ${[...new Set(unknown.map((k) => k.version))].sort().join(',')}`;
  for (const { key, group, version, resource } of of) {
    if (groups.has(group) && !versions.has(version) && !VERSIONS_PAST.has(version))
      return `group version ${version} that has not been registered`;
    if (resource !== undefined && resource !== resource.toLowerCase())
      return `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`;
  }
  return undefined;
}
