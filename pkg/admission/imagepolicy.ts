import {
  type AdmissionRequest,
  type AdmissionStep,
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  textAt,
} from '../api/index.js';
import { type Clock, ExpiringCache } from '../base/index.js';
import { jsonType, type ReviewClient } from '../outbound/index.js';
import { forbidden } from './step.js';

const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io/';
/** Annotations of a pod with this in their keys are part of its review. */
const ANNOTATION_MARK = '.image-policy.k8s.io/';
const REVIEWS_MAX = 1024;

/** The field `imagePolicy` of the configuration of ImagePolicyWebhook. Times are milliseconds; 0: not cached. */
export interface ImagePolicyConfig {
  /** The kubeconfig with the address of the service, and the credentials for it. */
  readonly kubeConfigFile: string;
  readonly allowTime: number;
  readonly denyTime: number;
  /** Before the second attempt at a review. */
  readonly retryWait: number;
  /** Whether pods are admitted if the service cannot be asked. */
  readonly defaultAllow: boolean;
}

export interface ImagePolicyParts {
  readonly config: ImagePolicyConfig;
  readonly client: Pick<ReviewClient, 'post'>;
  readonly clock: Clock;
  /** Logs a review that failed. */
  readonly note: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** ImagePolicyWebhook: an external service decides about the images of pods (ImageReview of imagepolicy.k8s.io/v1alpha1). */
export function imagePolicyStep(parts: ImagePolicyParts): AdmissionStep {
  const { config, clock, note } = parts;
  const reviews = new ExpiringCache<Verdict>(REVIEWS_MAX);
  return {
    name: 'ImagePolicyWebhook',
    validate: async (request) => {
      const spec = reviewSpec(request);
      if (spec === undefined) return;
      const key = JSON.stringify(spec);
      let verdict = reviews.get(key, clock.monotonic());
      if (verdict === undefined) {
        try {
          verdict = await ask(parts.client, spec);
        } catch (error) {
          const { message } = error as Error;
          note('could not review images', { error: message, allowed: config.defaultAllow });
          if (!config.defaultAllow) throw forbidden(request, message);
          request.annotate(`${AUDIT_PREFIX}failed-open`, 'true');
          return;
        }
        const time = verdict.allowed ? config.allowTime : config.denyTime;
        if (time > 0) reviews.set(key, verdict, clock.monotonic() + time);
      }
      for (const [name, value] of Object.entries(verdict.annotations)) request.annotate(AUDIT_PREFIX + name, value);
      if (verdict.allowed) return;
      throw forbidden(
        request,
        verdict.reason === ''
          ? 'one or more images rejected by webhook backend'
          : `image policy webhook backend denied one or more images: ${verdict.reason}`,
      );
    },
  };
}

/** The spec of the review of a pod, or of its ephemeral containers; undefined for other requests. */
function reviewSpec({ operation, groupResource, subresource, namespace, object }: AdmissionRequest) {
  if (operation !== 'create' && operation !== 'update') return undefined;
  if (groupResource.group !== '' || groupResource.resource !== 'pods' || object === undefined) return undefined;
  if (subresource !== '' && subresource !== 'ephemeralcontainers') return undefined;
  const lists = subresource === '' ? ['containers', 'initContainers'] : ['ephemeralContainers'];
  const containers = lists
    .flatMap((list) => objectsAt(object, 'spec', list))
    .map((container): JsonObject => {
      const image = textAt(container, 'image');
      return image === '' ? {} : { image };
    });
  const given = Object.entries(objectAt(object, 'metadata', 'annotations') ?? {});
  // In the order of their names, so that equal reviews have equal keys.
  const annotations = given.filter(([name]) => name.includes(ANNOTATION_MARK)).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(namespace === '' ? {} : { namespace }),
  };
}

async function ask(client: ImagePolicyParts['client'], spec: JsonObject): Promise<Verdict> {
  const review = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', metadata: {}, spec };
  const answer = await client.post({ ...review, status: { allowed: false } });
  const status = objectAt(answer, 'status') ?? {};
  const { allowed = false, reason = '', auditAnnotations = {} } = status;
  if (typeof allowed !== 'boolean') throw mistyped('allowed', allowed, 'bool');
  if (typeof reason !== 'string') throw mistyped('reason', reason, 'string');
  if (!isObject(auditAnnotations)) throw mistyped('auditAnnotations', auditAnnotations, 'map[string]string');
  const odd = Object.values(auditAnnotations).find((value) => typeof value !== 'string');
  if (odd !== undefined) throw mistyped('auditAnnotations', odd, 'string');
  return { allowed, reason, annotations: auditAnnotations as Verdict['annotations'] };
}

/** The error of Go's decoder for a value of another type. */
function mistyped(field: string, value: JsonValue, type: string): Error {
  const text = `json: cannot unmarshal ${jsonType(value)} into Go struct field ImageReviewStatus.status.${field} of type ${type}`;
  return new Error(text);
}
