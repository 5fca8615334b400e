import { expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../api/index.js';
import { Bench } from '../../testing.js';

it.each(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'])(
  'an empty list of webhooks raises the generation of a %s that had none, labels do not',
  async (kind) => {
    const b = await Bench.open();
    const resource = `${kind.toLowerCase()}s.admissionregistration.k8s.io`;
    const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind };
    let metadata = objectAt(await b.create(resource, '', { ...body, metadata: { name: 'a' } }), 'metadata');
    const generationAfter = async (labels: JsonObject, more: JsonObject): Promise<unknown> => {
      const { resourceVersion } = metadata;
      const changed = { ...body, ...more, metadata: { name: 'a', labels, resourceVersion: resourceVersion! } };
      metadata = objectAt(await b.update(resource, '', changed), 'metadata');
      return metadata['generation'];
    };
    expect(await generationAfter({ a: 'b' }, {})).toBe(1);
    expect(await generationAfter({ a: 'b' }, { webhooks: [] })).toBe(2);
    const webhook: JsonObject = {
      name: 'a.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://a.example.com/' },
      failurePolicy: 'Ignore',
    };
    expect(await generationAfter({}, { webhooks: [webhook] })).toBe(3);
    expect(await generationAfter({ a: 'b' }, { webhooks: [webhook] })).toBe(3);
    expect(await generationAfter({}, { webhooks: [{ ...webhook, rules: [] }] })).toBe(4);
  },
);
