import { type FieldErrors, FieldPath, type JsonObject } from '../../../api/index.js';
import type { WriteContext } from '../../resource.js';
import { textAt } from '../access.js';

/** Names of configurations that kube-apiserver reads from files, which the API does not manage. */
const STATIC = '.static.k8s.io';
const GATE = 'ManifestBasedAdmissionControlConfig';
const PROBLEM = `names ending with "${STATIC}" are reserved for static manifest-based configurations and cannot be managed via the API`;

const isReserved = (o: JsonObject): boolean => textAt(o, 'metadata', 'name').endsWith(STATIC);

/** Refuses the name of a new configuration if it is reserved. */
export function reservedName(o: JsonObject, errors: FieldErrors, context: WriteContext): void {
  if (context.featureEnabled(GATE) && isReserved(o))
    errors.invalid(FieldPath.of('metadata', 'name'), textAt(o, 'metadata', 'name'), PROBLEM);
}

/** Warns about a reserved name where it is not refused. */
export function warnOfName(o: JsonObject, old: JsonObject | undefined, context: WriteContext): void {
  if (isReserved(o) && (old !== undefined || !context.featureEnabled(GATE))) context.warn(`metadata.name: ${PROBLEM}`);
}
