import { X509Certificate } from 'node:crypto';
import {
  equalJson,
  type FieldErrors,
  FieldPath,
  type JsonObject,
  objectAt,
  type PemBlock,
  parseTime,
  pemBlocks,
  publicKeyOf,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { listAt, numberAt, objectsAt, textAt } from '../access.js';
import { conditionList } from '../status/conditions.js';
import { invalidUnshown, type PodRequest } from './podcertificatespec.js';
import { isSameKey, stubRequestOf } from './publickeys.js';

const STATUS = FieldPath.in<shapes.CertificatesV1beta1PodCertificateRequest>().child('status');
const CHAIN = STATUS.child('certificateChain');
const CHAIN_BYTES_MAX = 100 * 1024;
const MINUTE = 60_000;

export const VERDICTS: readonly string[] = ['Issued', 'Denied', 'Failed'];

/** The condition that ends a request, or undefined. */
function verdict(o: PodRequest): string | undefined {
  return objectsAt(o, 'status', 'conditions')
    .filter((c) => textAt(c, 'status') === 'True')
    .map((c) => textAt(c, 'type'))
    .find((type) => VERDICTS.includes(type));
}

/**
 * A signer writes the status once: it issues, denies or fails the request. `now` in milliseconds. Each rule rests on the ones
 * before it, so the certificate is checked up to its first problem.
 */
export function validatePodRequestStatus(o: PodRequest, old: PodRequest, now: number, errors: FieldErrors): void {
  checkConditions(o, errors);
  if (!errors.empty) return;
  const decided = verdict(o);
  const same = (a: JsonObject, b: JsonObject): boolean =>
    equalJson(listAt(a, 'conditions'), listAt(b, 'conditions')) &&
    (['certificateChain', 'notBefore', 'beginRefreshAt', 'notAfter'] as const).every(
      (field) => textAt(a, field) === textAt(b, field),
    );
  const [status, before] = [objectAt(o, 'status'), objectAt(old, 'status')];
  if (verdict(old) !== undefined) {
    if (!same(status, before))
      invalidUnshown(STATUS, 'immutable after PodCertificateRequest is issued, denied, or failed', errors);
  } else if (decided === 'Issued') checkIssued(o, old, now, errors);
  else if (decided !== undefined) {
    if (!same(status, { conditions: [...listAt(status, 'conditions')] }))
      invalidUnshown(
        STATUS,
        'non-condition status fields must be empty when denying or failing the PodCertificateRequest',
        errors,
      );
  } else if (!same(status, before))
    invalidUnshown(STATUS, 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"', errors);
}

function checkConditions(o: PodRequest, errors: FieldErrors): void {
  const list = objectsAt(o, 'status', 'conditions');
  let known = 0;
  for (const [i, c] of list.entries()) {
    // kube-apiserver writes the index of a condition as a field of its own.
    const path = FieldPath.of('status', 'conditions', `[${i}]`);
    const [type, status] = [textAt(c, 'type'), textAt(c, 'status')];
    if (!VERDICTS.includes(type)) {
      errors.notSupported(path.child('type'), type, VERDICTS);
      continue;
    }
    known++;
    if (known > 1)
      errors.invalid(
        path.child('type'),
        type,
        'There may be at most one condition with type "Issued", "Denied", or "Failed"',
      );
    if (status !== 'True') errors.notSupported(path.child('status'), status, ['True']);
  }
  conditionList(list, STATUS.child('conditions'), errors);
}

function checkIssued(o: PodRequest, old: PodRequest, now: number, errors: FieldErrors): void {
  const chain = textAt(o, 'status', 'certificateChain');
  if (Buffer.byteLength(chain) > CHAIN_BYTES_MAX) {
    errors.tooLong(CHAIN, CHAIN_BYTES_MAX);
    return;
  }
  const [first, ...rest] = pemBlocks(chain);
  const leaf = first?.type === 'CERTIFICATE' ? certificateOf(first.text) : undefined;
  if (leaf === undefined) {
    errors.invalid(CHAIN, chain, leafProblem(first));
    return;
  }
  checkNames(leaf, errors);
  if (!isForRequestedKey(leaf, old)) {
    errors.invalid(CHAIN, chain, 'leaf certificate was not issued to the requested public key');
    return;
  }
  checkTimes(o, leaf, now, errors);
  const problem = errors.empty ? rest.map(intermediateProblem).find((p) => p !== undefined) : undefined;
  if (problem !== undefined) errors.invalid(CHAIN, chain, problem);
}

function leafProblem(block: PemBlock | undefined): string {
  if (block === undefined) return 'issued certificate chain must contain at least one certificate';
  if (block.type !== 'CERTIFICATE') return 'issued certificate chain must consist entirely of CERTIFICATE PEM blocks';
  return 'leaf certificate does not parse as valid X.509';
}

function intermediateProblem({ type, text }: PemBlock): string | undefined {
  // The misspelt word is kube-apiserver's.
  if (type !== 'CERTIFICATE') return 'issued certificate chain must consist entirely of CERTFICATE PEM blocks';
  return certificateOf(text) === undefined ? 'intermediate certificate does not parse as valid X.509' : undefined;
}

function certificateOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function isForRequestedKey(leaf: X509Certificate, old: PodRequest): boolean {
  const stub = textAt(old, 'spec', 'stubPKCS10Request');
  const key =
    stub !== ''
      ? stubRequestOf(Buffer.from(stub, 'base64'))?.key
      : publicKeyOf(Buffer.from(textAt(old, 'spec', 'pkixPublicKey'), 'base64'));
  return key !== undefined && isSameKey(leaf.publicKey, key);
}

/** Names that some verifiers read in another way than the signer meant them. */
function checkNames(leaf: X509Certificate, errors: FieldErrors): void {
  const invalid = (name: string, detail: string): unknown => errors.invalid(CHAIN, name, detail);
  for (const [type, name] of alternativeNames(leaf.subjectAltName ?? '')) {
    if (type === 'DNS') {
      if (name === '') invalid(name, 'leaf certificate should not contain empty DNSName');
      if (name.includes('..')) invalid(name, "leaf certificate's DNSName should not contain '..'");
      if (name.startsWith('.') || name.endsWith('.'))
        invalid(name, "leaf certificate's DNSName should not start or end with '.'");
    } else if (type === 'email' && !/^[^\s@]+@[^\s@]+$/.test(name))
      invalid(name, 'leaf certificate should not contain invalid EmailAddress');
  }
}

/** The names of `DNS:a, email:"b, c"`. Node quotes names with special characters. */
function* alternativeNames(text: string): Iterable<readonly [type: string, name: string]> {
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at);
    if (colon < 0) return;
    const quoted = text[colon + 1] === '"';
    let end = quoted ? colon + 2 : text.indexOf(', ', colon);
    if (quoted) while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    end = end < 0 ? text.length : quoted ? end + 1 : end;
    const name = text.slice(colon + 1, end);
    yield [text.slice(at, colon), quoted ? String(JSON.parse(name)) : name];
    at = end + ', '.length;
  }
}

const TIMES = [
  ['notBefore', 'must be present and consistent with the issued certificate'],
  ['notAfter', 'must be present and consistent with the issued certificate'],
  ['beginRefreshAt', 'must be present and in the range [notbefore+10min, notafter-10min]'],
] as const;
type TimeField = (typeof TIMES)[number][0];

/** The times in the status are those of the certificate, which lives from now on for an hour up to the requested time. */
function checkTimes(o: PodRequest, leaf: X509Certificate, now: number, errors: FieldErrors): void {
  for (const [field, detail] of TIMES)
    if (textAt(o, 'status', field) === '') errors.required(STATUS.child(field), detail);
  if (!errors.empty) return;
  const timeAt = (field: TimeField): number => parseTime(textAt(o, 'status', field)) ?? Number.NaN;
  const invalid = (field: TimeField, detail: string): unknown =>
    errors.invalid(STATUS.child(field), textAt(o, 'status', field), detail);
  const [start, end, refresh] = [timeAt('notBefore'), timeAt('notAfter'), timeAt('beginRefreshAt')];
  const [from, until] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const [lifetime, max] = [until - from, numberAt(o, 'spec', 'maxExpirationSeconds')];
  // kube-apiserver prints a lifetime in nanoseconds.
  const nanoseconds = lifetime * 1_000_000;
  if (start !== from) invalid('notBefore', 'must be set to the NotBefore time encoded in the leaf certificate');
  else if (Math.abs(start - now) > 5 * MINUTE)
    invalid('notBefore', "must be set to within 5 minutes of kube-apiserver's current time");
  else if (end !== until) invalid('notAfter', 'must be set to the NotAfter time encoded in the leaf certificate');
  else if (lifetime < 60 * MINUTE) errors.invalid(CHAIN, nanoseconds, 'leaf certificate lifetime must be >= 1 hour');
  else if (lifetime > max * 1000)
    errors.invalid(CHAIN, nanoseconds, `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${max})`);
  else if (refresh < start + 10 * MINUTE)
    invalid('beginRefreshAt', 'must be at least 10 minutes after status.notBefore');
  else if (refresh > end - 10 * MINUTE) invalid('beginRefreshAt', 'must be at least 10 minutes before status.notAfter');
}
