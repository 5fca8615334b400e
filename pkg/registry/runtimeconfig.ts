import type { GroupVersionResource } from '../api/index.js';
import type { ResourceDeclaration } from './resource.js';

/**
 * `--runtime-config`: `apps/v1` (a group version), `apps/v1/deployments` (a resource), `api/all`, `api/ga`, `api/beta`,
 * `api/alpha` -> on or off.
 */
export type RuntimeConfig = ReadonlyMap<string, boolean>;

/** Stable versions are served unless switched off, alpha and beta ones only when switched on. The narrower key wins. */
export function isServed(gvr: GroupVersionResource, config: RuntimeConfig): boolean {
  const version = gvr.group === '' ? gvr.version : `${gvr.group}/${gvr.version}`;
  const level = /alpha/.test(gvr.version) ? 'api/alpha' : /beta/.test(gvr.version) ? 'api/beta' : 'api/ga';
  return (
    config.get(`${version}/${gvr.resource}`) ??
    config.get(gvr.group === '' ? `api/${gvr.version}` : version) ??
    config.get(version) ??
    config.get(level) ??
    config.get('api/all') ??
    level === 'api/ga'
  );
}

/** Keys that stand for many versions. */
const LEVELS: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha'];
/** Groups of the API that have no kinds here yet. */
const GROUPS_TO_COME: readonly string[] = ['apiextensions.k8s.io', 'apiregistration.k8s.io'];

/**
 * What is wrong with the keys, in kube-apiserver's words, or undefined. Only groups are looked at: a version or resource that a group
 * does not have is let pass, as there, so that a command line outlives the version.
 */
export function runtimeConfigProblem(
  config: RuntimeConfig,
  resources: readonly ResourceDeclaration[],
): string | undefined {
  const groups = new Set(resources.flatMap((r) => r.versions.map((v) => v.group ?? r.group)));
  if (config.get('api/all') === false && config.size === 1) return 'invalid key with only api/all=false';
  const unknown = new Set<string>();
  for (const key of config.keys()) {
    // The core group by its older name, and by the path of its version.
    if (LEVELS.includes(key) || /^(api\/)?v1(\/[^/]+)?$/.test(key)) continue;
    const parts = key.split('/');
    if (parts.length !== 2 && parts.length !== 3) return `runtime-config invalid key ${key}`;
    const group = parts[0]!;
    if (!groups.has(group) && !GROUPS_TO_COME.includes(group)) unknown.add(group);
  }
  return unknown.size === 0 ? undefined : `unknown api groups ${[...unknown].join(',')}`;
}
