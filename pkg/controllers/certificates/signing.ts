import { formatTime, type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../../api/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';
import {
  API_CLIENT,
  type CertificateAuthority,
  hasCondition,
  KUBELET_CLIENT,
  KUBELET_SERVING,
  LEGACY,
  REQUESTS,
  refusalOf,
  requestOf,
  usagesOf,
} from './requests.js';

const NAME = 'certificatesigningrequest-signing-controller';
const SIGNERS: ReadonlySet<string> = new Set([KUBELET_SERVING, KUBELET_CLIENT, API_CLIENT, LEGACY]);
const DURATION_MIN = 600_000;

export interface SigningOptions {
  readonly authority: CertificateAuthority;
  /** `--cluster-signing-duration` in milliseconds: the longest validity. */
  readonly duration: number;
}

/** Signs approved requests to Kubernetes' own signers. */
export function signingController({ cluster, world, log }: ControllerContext, options: SigningOptions): Controller {
  const { authority, duration } = options;
  const queue = new WorkQueue({
    world,
    workers: 2,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { request: key, error: String(error) }),
  });

  async function sync(name: string): Promise<void> {
    const place = placeOf(cluster, REQUESTS, name);
    const request = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || request === undefined || !isDue(request)) return;
    const signer = textAt(request, 'spec', 'signerName');
    const usages = usagesOf(request);
    const refusal = refusalOf(signer, await authority.read(requestOf(request)), usages);
    const status = objectAt(request, 'status');
    if (refusal !== undefined) {
      const failed: JsonObject = {
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message: refusal,
        lastUpdateTime: formatTime(world.clock.now()),
      };
      const conditions = [...objectsAt(status, 'conditions'), failed];
      await cluster.replace(place, 'status', { ...request, status: { ...status, conditions } });
      return;
    }
    const certificate = await authority.sign(signer, requestOf(request), { usages, duration: durationOf(request) });
    await cluster.replace(place, 'status', {
      ...request,
      status: { ...status, certificate: Buffer.from(certificate).toString('base64') },
    });
  }

  function durationOf(request: JsonObject): number {
    const asked = numberAt(request, 'spec', 'expirationSeconds') * 1000;
    return asked === 0 ? duration : Math.min(duration, Math.max(DURATION_MIN, asked));
  }

  return controllerOf(NAME, cluster, queue, observing({ [REQUESTS]: (_, after) => after && queue.add(after.name) }));
}

const isDue = (request: JsonObject): boolean =>
  SIGNERS.has(textAt(request, 'spec', 'signerName')) &&
  hasCondition(request, 'Approved') &&
  !hasCondition(request, 'Denied') &&
  !hasCondition(request, 'Failed') &&
  textAt(request, 'status', 'certificate') === '';
