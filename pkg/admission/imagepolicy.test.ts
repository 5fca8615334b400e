import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { imagePolicyStep } from './imagepolicy.js';
import { admissionRequest } from './testing.js';

const pod: JsonObject = {
  metadata: { name: 'x', annotations: { 'z.image-policy.k8s.io/b': '2', 'a.image-policy.k8s.io/b': '1', other: 'o' } },
  spec: {
    initContainers: [{ name: 'i', image: 'init' }],
    containers: [
      { name: 'c', image: 'one' },
      { name: 'd', image: 'two' },
    ],
    ephemeralContainers: [{ name: 'e', image: 'debug' }],
  },
};

function plugin(answer: (review: JsonObject) => JsonObject, more: { readonly defaultAllow?: boolean } = {}) {
  let now = 0;
  const asked: JsonObject[] = [];
  const step = imagePolicyStep({
    config: { kubeConfigFile: '', allowTime: 100, denyTime: 10, retryWait: 1, defaultAllow: false, ...more },
    clock: { now: () => now, monotonic: () => now },
    client: {
      post: async (review) => {
        asked.push(review);
        return { ...review, status: answer(review) };
      },
    },
    note: () => {},
  });
  const review = async (what: string, given: Parameters<typeof admissionRequest>[1] = {}) => {
    const request = admissionRequest(what, { object: pod, ...given });
    const error = await Promise.resolve(step.validate!(request)).then(
      () => '',
      (e: Error) => e.message,
    );
    return { error, annotations: Object.fromEntries(request.annotations) };
  };
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { review, asked, pass };
}

describe('ImagePolicyWebhook', () => {
  it('reviews the images of pods and of their ephemeral containers, and nothing else', async () => {
    const { review, asked } = plugin(() => ({ allowed: true }));
    for (const what of ['pods', 'pods/ephemeralcontainers', 'pods/status', 'configmaps']) await review(what);
    await review('pods', { operation: 'delete', object: undefined });
    expect(asked.map(({ spec }) => spec)).toEqual([
      {
        containers: [{ image: 'one' }, { image: 'two' }, { image: 'init' }],
        annotations: { 'a.image-policy.k8s.io/b': '1', 'z.image-policy.k8s.io/b': '2' },
        namespace: 'n',
      },
      expect.objectContaining({ containers: [{ image: 'debug' }] }),
    ]);
    expect(asked[0]).toMatchObject({ apiVersion: 'imagepolicy.k8s.io/v1alpha1', kind: 'ImageReview' });
  });

  it('remembers each outcome for its time', async () => {
    let allowed = true;
    const { review, asked, pass } = plugin(() => ({ allowed, auditAnnotations: { seen: 'yes' } }));
    for (const time of [0, 99, 1]) {
      pass(time);
      expect(await review('pods')).toEqual({
        error: '',
        annotations: { 'imagepolicywebhook.image-policy.k8s.io/seen': 'yes' },
      });
    }
    expect(asked).toHaveLength(2);
    allowed = false;
    pass(100);
    const error = 'pods "x" is forbidden: one or more images rejected by webhook backend';
    for (const time of [0, 9]) {
      pass(time);
      expect((await review('pods')).error).toBe(error);
    }
    expect(asked).toHaveLength(3);
    pass(1);
    await review('pods', { namespace: 'other' });
    expect(asked).toHaveLength(4);
  });

  it('refuses with the reason of the service', async () => {
    const { review } = plugin(() => ({ allowed: false, reason: 'not signed' }));
    expect((await review('pods')).error).toBe(
      'pods "x" is forbidden: image policy webhook backend denied one or more images: not signed',
    );
  });

  it.each([
    [{ allowed: 'yes' }, 'cannot unmarshal string into Go struct field ImageReviewStatus.status.allowed of type bool'],
    [{ allowed: true, auditAnnotations: { a: 1 } }, 'status.auditAnnotations of type string'],
    [{ allowed: true, reason: 7 }, 'cannot unmarshal number into Go struct field ImageReviewStatus.status.reason'],
  ])('fails for the status %j, and admits only by its configuration', async (status, why) => {
    expect((await plugin(() => status as JsonObject).review('pods')).error).toContain(why);
    const open = plugin(() => status as JsonObject, { defaultAllow: true });
    for (let i = 0; i < 2; i++)
      expect(await open.review('pods')).toEqual({
        error: '',
        annotations: { 'imagepolicywebhook.image-policy.k8s.io/failed-open': 'true' },
      });
    expect(open.asked).toHaveLength(2);
  });
});
