import { type FieldErrors, FieldPath, isQualifiedName, type JsonValue, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, textAt } from '../access.js';
import { sentences } from '../rules.js';

const SPEC = FieldPath.in<shapes.CoordinationV1Lease | shapes.CoordinationV1beta1LeaseCandidate>().child('spec');

export function validateLease(o: Shaped<shapes.CoordinationV1Lease>, errors: FieldErrors): void {
  const seconds = at(o, 'spec', 'leaseDurationSeconds');
  if (typeof seconds === 'number' && seconds <= 0)
    errors.invalid(SPEC.child('leaseDurationSeconds'), seconds, 'must be greater than 0');
  const transitions = at(o, 'spec', 'leaseTransitions');
  if (typeof transitions === 'number' && transitions < 0)
    errors.invalid(SPEC.child('leaseTransitions'), transitions, 'must be greater than or equal to 0');
}

const STRATEGY = 'OldestEmulationVersion';
const SEMANTIC =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z.-]+)?$/;

/** A strategy is the built-in one or has a domain prefix. */
export function validateCandidate(o: Shaped<shapes.CoordinationV1beta1LeaseCandidate>, errors: FieldErrors): void {
  if (textAt(o, 'spec', 'leaseName') === '') errors.required(SPEC.child('leaseName'));
  const binary = textAt(o, 'spec', 'binaryVersion');
  const emulation = textAt(o, 'spec', 'emulationVersion');
  const emulationParts = version(emulation, SPEC.child('emulationVersion'), errors);
  if (binary === '') errors.required(SPEC.child('binaryVersion'));
  const binaryParts = version(binary, SPEC.child('binaryVersion'), errors);
  if (emulationParts !== undefined && binary !== '' && isLess(binaryParts ?? [], emulationParts))
    errors.invalid(SPEC.child('binaryVersion'), binary, 'must be greater than or equal to `emulationVersion`');
  const strategy = textAt(o, 'spec', 'strategy');
  if (strategy === '') errors.required(SPEC.child('strategy'));
  else if (strategy !== STRATEGY && !strategy.includes('/'))
    errors.notSupported(SPEC.child('strategy').childShownAs('strategy'), strategy, [STRATEGY]);
  else if (strategy !== STRATEGY)
    sentences(strategy, isQualifiedName, SPEC.child('strategy').childShownAs('strategy'), errors);
  if (strategy === STRATEGY && emulationParts === undefined)
    errors.required(SPEC.child('emulationVersion'), `must be specified when \`strategy\` is '${STRATEGY}'`);
}

function version(text: string, path: FieldPath, errors: FieldErrors): readonly number[] | undefined {
  if (text === '') return undefined;
  const parts = SEMANTIC.exec(text);
  if (parts !== null) return parts.slice(1, 4).map(Number);
  errors.invalid(path, text, 'must be a valid semantic version');
  return undefined;
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, x] of b.entries()) if (x !== (a[i] ?? 0)) return (a[i] ?? 0) < x;
  return false;
}

export function validateCandidateUpdate(
  o: Shaped<shapes.CoordinationV1beta1LeaseCandidate>,
  old: Shaped<shapes.CoordinationV1beta1LeaseCandidate>,
  errors: FieldErrors,
): void {
  validateCandidate(o, errors);
  const name: JsonValue = textAt(o, 'spec', 'leaseName');
  if (name !== textAt(old, 'spec', 'leaseName')) errors.invalid(SPEC.child('leaseName'), name, 'field is immutable');
}
