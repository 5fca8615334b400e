import type { AdmissionRequest } from '../api/index.js';
import { CounterFamily } from '../telemetry/index.js';
import type { LevelVersion, SecurityPolicy } from './podsecuritypolicy.js';

/** The minor version of the API: the checks of later ones are unknown. */
const MINOR = 37;
const OF_REQUEST = ['request_operation', 'resource', 'subresource'] as const;

function ofRequest({ operation, groupResource, subresource }: AdmissionRequest): readonly string[] {
  const isPod = groupResource.group === '' && groupResource.resource === 'pods';
  return [operation, isPod ? 'pod' : 'controller', subresource];
}

const versionText = ({ minor }: LevelVersion): string => {
  if (minor === Number.POSITIVE_INFINITY) return 'latest';
  return minor > MINOR ? 'future' : `v1.${minor}`;
};

/** Metrics of PodSecurity, with the names of kube-apiserver. */
export class PodSecurityMetrics {
  readonly #evaluations = new CounterFamily(
    {
      name: 'pod_security_evaluations_total',
      help: 'Evaluations of policies, without those of exempt requests. Modes that only audit or warn count denials.',
    },
    ['decision', 'policy_level', 'policy_version', 'mode', ...OF_REQUEST],
  );
  readonly #exemptions = new CounterFamily(
    { name: 'pod_security_exemptions_total', help: 'Exempt requests, without those that are out of scope.' },
    OF_REQUEST,
  );

  constructor() {
    // A rate needs the series before its first event.
    for (const operation of ['create', 'update']) {
      this.#evaluations.at('allow', 'privileged', 'latest', 'enforce', operation, 'pod', '');
      for (const resource of ['pod', 'controller']) this.#exemptions.at(operation, resource, '');
    }
  }

  get families(): readonly CounterFamily[] {
    return [this.#evaluations, this.#exemptions];
  }

  evaluated(
    decision: 'allow' | 'deny',
    mode: keyof SecurityPolicy,
    policy: LevelVersion,
    request: AdmissionRequest,
  ): void {
    this.#evaluations.at(decision, policy.level, versionText(policy), mode, ...ofRequest(request)).value++;
  }

  exempted(request: AdmissionRequest): void {
    this.#exemptions.at(...ofRequest(request)).value++;
  }
}
