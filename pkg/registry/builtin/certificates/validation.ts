import { X509Certificate } from 'node:crypto';
import {
  certificateRequestIn,
  equalJson,
  type FieldErrors,
  FieldPath,
  pemBlocks,
  type Shaped,
  signatureProblemOf,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, listAt, numberAt, objectsAt, textAt } from '../access.js';
import { signerName } from './names.js';

const SPEC = FieldPath.in<shapes.CertificatesV1CertificateSigningRequest>().child('spec');
const CONDITIONS = FieldPath.in<shapes.CertificatesV1CertificateSigningRequest>().child('status', 'conditions');

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const SECONDS_MIN = 600;

type Request = Shaped<shapes.CertificatesV1CertificateSigningRequest>;

/** What a request may have because the stored one that it replaces has it. */
interface Tolerated {
  readonly unknownUsages: boolean;
  readonly repeatedUsages: boolean;
  readonly legacySigner: boolean;
  readonly unnamedConditions: boolean;
  readonly repeatedConditions: boolean;
}

function toleratedBy(old: Request | undefined): Tolerated {
  const usages = listAt(old, 'spec', 'usages').map(String);
  const types = objectsAt(old, 'status', 'conditions').map((c) => textAt(c, 'type'));
  return {
    unknownUsages: usages.some((usage) => !USAGES.includes(usage)),
    repeatedUsages: new Set(usages).size < usages.length,
    legacySigner: textAt(old, 'spec', 'signerName') === LEGACY_SIGNER,
    unnamedConditions: types.includes(''),
    repeatedConditions: new Set(types).size < types.length,
  };
}

const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';

/** Validates a request. `old` is the one that an update replaces. */
export function validateRequest(o: Request, errors: FieldErrors, old?: Request): void {
  const tolerated = toleratedBy(old);
  const request = textAt(o, 'spec', 'request');
  const pem = Buffer.from(request, 'base64').toString('latin1');
  const read = certificateRequestIn(pem);
  const problem = typeof read === 'string' ? read : signatureProblemOf(read);
  if (problem !== undefined) errors.invalid(SPEC.child('request'), at(o, 'spec', 'request') ?? null, problem);
  const usages = listAt(o, 'spec', 'usages').map(String);
  if (usages.length === 0) errors.required(SPEC.child('usages'));
  for (const [i, usage] of usages.entries())
    if (!tolerated.unknownUsages && !USAGES.includes(usage))
      errors.notSupported(SPEC.child('usages').index(i), usage, USAGES);
  const seen = new Set<string>();
  for (const [i, usage] of usages.entries()) {
    if (!tolerated.repeatedUsages && seen.has(usage)) errors.duplicate(SPEC.child('usages').index(i), usage);
    seen.add(usage);
  }
  const signer = textAt(o, 'spec', 'signerName');
  if (signer === LEGACY_SIGNER && !tolerated.legacySigner)
    errors.invalid(SPEC.child('signerName'), signer, 'the legacy signerName is not allowed via this API version');
  else signerName(signer, SPEC.child('signerName'), errors);
  const seconds = at(o, 'spec', 'expirationSeconds');
  if (seconds !== undefined && numberAt(o, 'spec', 'expirationSeconds') < SECONDS_MIN)
    errors.invalid(
      SPEC.child('expirationSeconds'),
      seconds,
      'may not specify a duration less than 600 seconds (10 minutes)',
    );
  conditions(o, errors, tolerated);
}

function conditions(o: Request, errors: FieldErrors, tolerated: Tolerated): void {
  const types = new Set<string>();
  for (const [i, c] of objectsAt(o, 'status', 'conditions').entries()) {
    const type = textAt(c, 'type');
    const path = CONDITIONS.index(i);
    if (type === '' && !tolerated.unnamedConditions) errors.required(path.child('type'));
    const status = textAt(c, 'status');
    if (status === '') errors.required(path.child('status'));
    else if (['Approved', 'Denied', 'Failed'].includes(type)) {
      if (status !== 'True') errors.notSupported(path.child('status'), status, ['True']);
    } else if (!['True', 'False', 'Unknown'].includes(status))
      errors.notSupported(path.child('status'), status, ['False', 'True', 'Unknown']);
    if (types.has(type) && !tolerated.repeatedConditions) errors.duplicate(path.child('type'), type);
    types.add(type);
  }
}

/** A request is approved or denied, unless the stored one is both. As in kube-apiserver, this is checked after everything else. */
export function onlyOneDecision(o: Request, old: Request, errors: FieldErrors): void {
  const hasBoth = (request: Request): boolean => {
    const types = objectsAt(request, 'status', 'conditions').map((c) => textAt(c, 'type'));
    return types.includes('Approved') && types.includes('Denied');
  };
  if (!hasBoth(o) || hasBoth(old)) return;
  const members = ['Approved', 'Denied'].map((type) => `conditions[{"type": "${type}"}]`);
  const why = `must specify at most one of: ${members.map((member) => `\`${member}\``).join(', ')}`;
  errors.invalid(CONDITIONS, `{${members.join(', ')}}`, why);
}

/** Only the approval subresource may approve and deny. No subresource may remove a decision or a failure. */
export function conditionsChanged(o: Request, old: Request, mayDecide: boolean, errors: FieldErrors): void {
  const of = (x: Request, type: string) =>
    objectsAt(x, 'status', 'conditions').filter((c) => textAt(c, 'type') === type);
  const changes = (['Approved', 'Denied', 'Failed'] as const).map((type) => ({
    type: JSON.stringify(type),
    now: of(o, type),
    before: of(old, type),
    mayChange: type === 'Failed' || mayDecide,
  }));
  for (const { type, now, before } of changes)
    if (now.length < before.length) errors.forbidden(CONDITIONS, `updates may not remove a condition of type ${type}`);
  for (const { type, now, before, mayChange } of changes) {
    if (mayChange) continue;
    if (now.length > before.length) errors.forbidden(CONDITIONS, `updates may not add a condition of type ${type}`);
    else if (now.length === before.length && !equalJson([...now], [...before]))
      errors.forbidden(CONDITIONS, `updates may not modify a condition of type ${type}`);
  }
}

const CERTIFICATE = FieldPath.in<shapes.CertificatesV1CertificateSigningRequest>().child('status', 'certificate');

const problemIn = (certificate: string): string | undefined =>
  certificate === '' ? undefined : certificateProblem(Buffer.from(certificate, 'base64').toString('latin1'));

/** A certificate is set once, by the status subresource, and is PEM, unless the stored one is not. */
export function certificateChanged(o: Request, old: Request, maySet: boolean, errors: FieldErrors): void {
  const [now, before] = [textAt(o, 'status', 'certificate'), textAt(old, 'status', 'certificate')];
  if (now === before) return;
  const problem = problemIn(before) === undefined ? problemIn(now) : undefined;
  if (problem !== undefined) errors.invalid(CERTIFICATE, '<certificate data>', problem);
  if (!maySet) errors.forbidden(CERTIFICATE, 'updates may not set certificate content');
  else if (before !== '') errors.forbidden(CERTIFICATE, 'updates may not modify existing certificate content');
}

/** Returns why a text is not a sequence of certificates in PEM; text around the blocks is allowed. */
function certificateProblem(pem: string): string | undefined {
  let blocks = 0;
  for (const { type, hasHeaders, text } of pemBlocks(pem)) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(text);
    } catch {
      return 'x509: malformed certificate';
    }
    blocks++;
  }
  return blocks === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
