import { errors, getOwn, type JsonObject, objectAt, objectIn, objectsAt, setOwn, textAt } from '../api/index.js';
import { isAbout, type Step, type StoredObjects } from './step.js';

const NOT_READY = 'node.kubernetes.io/not-ready';

/** Nothing is placed on a node before it has said that it is ready. */
export const taintNodesStep: Step = {
  name: 'TaintNodesByCondition',
  mutate: (request) => {
    if (request.operation !== 'create' || !isAbout(request, '', 'nodes') || request.object === undefined) return;
    const spec = objectIn(request.object, 'spec');
    const taints = objectsAt(spec, 'taints');
    if (taints.some((t) => textAt(t, 'key') === NOT_READY && textAt(t, 'effect') === 'NoSchedule')) return;
    spec['taints'] = [...taints, { key: NOT_READY, effect: 'NoSchedule' }];
  },
};

const TOPOLOGY = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const;

/** A pod learns where its node stands when it is bound to it. */
export function podTopologyStep(objects: StoredObjects): Step {
  return {
    name: 'PodTopologyLabels',
    mutate: async ({ target, operation, object }) => {
      if (operation !== 'create' || object === undefined || target.resource.group !== '') return;
      const { resource } = target.resource;
      const node =
        resource === 'pods' && target.subresource === ''
          ? textAt(object, 'spec', 'nodeName')
          : (resource === 'pods' && target.subresource === 'binding') || resource === 'bindings'
            ? textAt(object, 'target', 'name')
            : '';
      if (node === '') return;
      const found = await objects.get({ group: '', resource: 'nodes' }, '', node);
      const labels = objectAt(found, 'metadata', 'labels');
      for (const key of TOPOLOGY) {
        const value = getOwn(labels, key);
        if (value !== undefined) setOwn(objectIn(objectIn(object, 'metadata'), 'labels'), key, value);
      }
    },
  };
}

/** Who asks for a certificate of a member of `system:masters` is refused. */
export const certificateSubjectStep: Step = {
  name: 'CertificateSubjectRestriction',
  validate: (request) => {
    if (request.operation !== 'create' || !isAbout(request, 'certificates.k8s.io', 'certificatesigningrequests'))
      return;
    const { object } = request;
    if (textAt(object, 'spec', 'signerName') !== CLIENT_SIGNER) return;
    if (!organisations(object).includes('system:masters')) return;
    throw errors.forbidden(
      request.target.resource.groupResource,
      textAt(object, 'metadata', 'name'),
      `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`,
    );
  },
};

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

/** DER of the object identifier 2.5.4.10, organizationName. */
const ORGANISATION = Buffer.from([0x06, 0x03, 0x55, 0x04, 0x0a]);

/** The organisations that a PEM certificate request names. Each stands as a short string right behind its identifier. */
function organisations(request: JsonObject | undefined): readonly string[] {
  const pem = Buffer.from(textAt(request, 'spec', 'request'), 'base64').toString('latin1');
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]+)-----END/.exec(pem)?.[1];
  if (body === undefined) return [];
  const der = Buffer.from(body, 'base64');
  const found: string[] = [];
  for (let i = der.indexOf(ORGANISATION); i >= 0; i = der.indexOf(ORGANISATION, i + 1)) {
    const length = der[i + ORGANISATION.length + 1] ?? 0;
    const from = i + ORGANISATION.length + 2;
    found.push(textOf(der[i + ORGANISATION.length]!, der.subarray(from, from + length)));
  }
  return found;
}

const UNIVERSAL_STRING = 0x1c;
const BMP_STRING = 0x1e;

/** A name may be written in two or four bytes a character, and says the same. */
function textOf(tag: number, bytes: Buffer): string {
  const width = tag === BMP_STRING ? 2 : tag === UNIVERSAL_STRING ? 4 : 1;
  if (width === 1) return bytes.toString();
  let text = '';
  for (let i = width; i <= bytes.length; i += width) text += String.fromCharCode(bytes.readUInt16BE(i - 2));
  return text;
}
