import { formatTime, pathSegmentName, type Shaped, setOwn } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, objectIn, objectsAt, textAt } from '../access.js';
import { keep, statusSubresource, versions, withoutTable, withStatus } from '../form.js';
import { AGE, age, column, humanDuration, table } from '../table.js';
import { certificateChanged, conditionsChanged, onlyOneDecision, validateRequest } from './validation.js';

export const certificateSigningRequest: ResourceDeclaration<shapes.CertificatesV1CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  resource: 'certificatesigningrequests',
  singular: 'certificatesigningrequest',
  kind: 'CertificateSigningRequest',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  shortNames: ['csr'],
  strategy: withStatus({
    create: {
      validateName: pathSegmentName,
      // the requester comes from the authenticated user, never from the body; the request is immutable
      prepare: (o, context) => {
        const spec = o['spec'];
        if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return;
        spec['username'] = context.user.name;
        spec['groups'] = [...context.user.groups];
        if (context.user.uid !== undefined && context.user.uid !== '') spec['uid'] = context.user.uid;
        else delete spec['uid'];
        delete spec['extra'];
        for (const [k, v] of Object.entries(context.user.extra ?? {})) setOwn(objectIn(spec, 'extra'), k, [...v]);
      },
      validate: (o, errors) => validateRequest(o, errors),
    },
    update: {
      generation: 'none',
      resetFields: [['spec'], ['status']],
      prepare: (o, old) => keep('spec', o, old),
      validate: (o, old, errors) => validateRequest(o, errors, old),
    },
  }),
  subresources: {
    // the approval subresource changes only conditions
    approval: withoutTable(
      statusSubresource({
        update: {
          resetFields: [['spec'], ['status', 'certificate']],
          prepare: (o, old, context) => {
            const status = objectIn(o, 'status');
            const conditions = status['conditions'];
            keep('status', o, old);
            const kept = objectIn(o, 'status');
            if (conditions === undefined) delete kept['conditions'];
            else kept['conditions'] = conditions;
            stampConditions(o, old, formatTime(context.world.clock.now()));
          },
          validate: (o, old, errors) => {
            validateRequest(o, errors, old);
            conditionsChanged(o, old, true, errors);
            certificateChanged(o, old, false, errors);
            onlyOneDecision(o, old, errors);
          },
        },
      }),
    ),
    status: statusSubresource({
      update: {
        resetFields: [['spec'], ['status', 'conditions']],
        prepare: (o, old, context) => {
          keepDecisions(o, old);
          stampConditions(o, old, formatTime(context.world.clock.now()));
        },
        validate: (o, old, errors) => {
          validateRequest(o, errors, old);
          conditionsChanged(o, old, false, errors);
          certificateChanged(o, old, true, errors);
          onlyOneDecision(o, old, errors);
        },
      },
    }),
  },
  selectableFields: { 'spec.signerName': (o) => textAt(o, 'spec', 'signerName') },
  table: table(
    [
      AGE,
      column('SignerName', 'Who is asked to sign.'),
      column('Requestor', 'Who asked.'),
      column('RequestedDuration', 'How long the certificate should live.'),
      column('Condition', 'Approved, denied, issued, failed or pending.'),
    ],
    (o, now) => {
      const seconds = at(o, 'spec', 'expirationSeconds');
      return [
        age(o, now),
        textAt(o, 'spec', 'signerName') || '<none>',
        textAt(o, 'spec', 'username'),
        typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>',
        condition(o),
      ];
    },
  ),
};

function condition(o: Shaped<shapes.CertificatesV1CertificateSigningRequest>): string {
  const types = new Set(objectsAt(o, 'status', 'conditions').map((c) => textAt(c, 'type')));
  let text = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  if (types.has('Failed')) text += ',Failed';
  if (textAt(o, 'status', 'certificate') !== '') text += ',Issued';
  return text;
}

/** Sets the times of conditions where the client omits them. */
function stampConditions(
  o: Shaped<shapes.CertificatesV1CertificateSigningRequest>,
  old: Shaped<shapes.CertificatesV1CertificateSigningRequest>,
  now: string,
): void {
  const before = objectsAt(old, 'status', 'conditions');
  for (const c of objectsAt(o, 'status', 'conditions')) {
    if (textAt(c, 'lastUpdateTime') === '') c['lastUpdateTime'] = now;
    if (textAt(c, 'lastTransitionTime') !== '') continue;
    const same = before.find(
      (b) => textAt(b, 'type') === textAt(c, 'type') && textAt(b, 'status') === textAt(c, 'status'),
    );
    c['lastTransitionTime'] = textAt(same, 'lastTransitionTime') || now;
  }
}

/**
 * The status subresource does not change approvals and denials. If their number differs they stay as sent, and
 * validation rejects them.
 */
function keepDecisions(
  o: Shaped<shapes.CertificatesV1CertificateSigningRequest>,
  old: Shaped<shapes.CertificatesV1CertificateSigningRequest>,
): void {
  const conditions = objectsAt(o, 'status', 'conditions');
  for (const type of ['Approved', 'Denied'] as const) {
    const before = objectsAt(old, 'status', 'conditions').filter((c) => textAt(c, 'type') === type);
    const now = conditions.filter((c) => textAt(c, 'type') === type);
    if (now.length !== before.length) continue;
    for (const [i, c] of now.entries()) {
      for (const field of Object.keys(c)) delete (c as Record<string, unknown>)[field];
      Object.assign(c, before[i]);
    }
  }
}
