import type { GroupVersionResource } from '../api/index.js';

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
