import type { GroupVersion } from '../../../api/index.js';

/** Returns the error if objects of a kind may not own others; undefined if they may. */
export function disallowedOwner(gv: GroupVersion, kind: string): string | undefined {
  const isEvent = gv.group === '' && gv.version === 'v1' && kind === 'Event';
  return isEvent ? '/v1, Kind=Event is disallowed from being an owner' : undefined;
}
