import type { JsonObject } from '../api/index.js';
import type { RequestContext, Target } from './requests.js';
import type { Verb } from './resource.js';

/** One write on its way through the chain. */
export interface AdmissionRequest {
  readonly target: Target;
  readonly name: string;
  readonly operation: Extract<Verb, 'create' | 'update' | 'delete'> | 'connect';
  /** In the storage version; undefined for a deletion. */
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
  readonly dryRun: boolean;
  readonly context: RequestContext;
}

/**
 * A step of admission. Mutating steps run before validation and may change the object; validating steps run after. Each
 * refuses by throwing an `ApiError`.
 */
export interface AdmissionStep {
  readonly name: string;
  readonly mutate?: (request: AdmissionRequest) => void | Promise<void>;
  readonly validate?: (request: AdmissionRequest) => void | Promise<void>;
}

export interface Admission {
  readonly steps: readonly AdmissionStep[];
}
