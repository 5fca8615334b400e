import { at, type JsonObject, objectsAt } from '../../../api/index.js';
import { COMPATIBLE, CURRENT, type Minor } from '../../../cel/index.js';
import { listAt, textAt } from '../access.js';
import { bundleProblem } from '../authoritybundle.js';
import { divisibleSet, hasLooseItems, hasUnknownType, schemasOf, someSchema } from './schemas.js';
import { isStructural } from './structuralrules.js';
import { hasUnknownFields } from './unpruned.js';

/** The versions of ConversionReview of which a conversion webhook must know one. */
export const REVIEWS: readonly string[] = ['v1', 'v1beta1'];

/**
 * What a stored definition has although a new one may not. Releases added rules, and an update of a definition that was stored before may
 * still violate those, and only those, that the stored one violates somewhere. Each question is asked only when a rule is violated, so it
 * costs nothing to update a definition without faults. Without a stored definition every answer is no.
 */
export class Precedent {
  readonly #old: JsonObject | undefined;
  readonly #answers = new Map<string, boolean>();
  #rules: { readonly rules: ReadonlySet<string>; readonly messages: ReadonlySet<string> } | undefined;

  constructor(old: JsonObject | undefined) {
    this.#old = old;
  }

  get hasUnknownTypes(): boolean {
    return this.#ask('types', (o) => someSchema(schemasOf(o), hasUnknownType));
  }

  get hasUnprunedDefaults(): boolean {
    return this.#ask('defaults', (o) =>
      schemasOf(o).some((s) => isStructural(s) && someSchema([s], (d) => hasUnknownFields(d))),
    );
  }

  get hasDivisibleSets(): boolean {
    return this.#ask('sets', (o) => someSchema(schemasOf(o), (s) => divisibleSet(s) !== undefined));
  }

  get hasLooseItems(): boolean {
    return this.#ask('items', (o) => someSchema(schemasOf(o), hasLooseItems));
  }

  get isNotStructural(): boolean {
    return this.#ask('structure', (o) => !schemasOf(o).every(isStructural));
  }

  get lacksSchema(): boolean {
    return this.#ask('schema', (o) => schemasOf(o).length < objectsAt(o, 'spec', 'versions').length);
  }

  get preservesUnknownFields(): boolean {
    return at(this.#old ?? {}, 'spec', 'preserveUnknownFields') === true;
  }

  get hasUnknownReviews(): boolean {
    const versions = listAt(this.#old ?? {}, 'spec', 'conversion', 'webhook', 'conversionReviewVersions');
    return versions.length > 0 && !versions.some((v) => REVIEWS.includes(String(v)));
  }

  /** Until it is established, a definition may have a bundle that cannot be read. */
  get mayHaveInvalidBundle(): boolean {
    const old = this.#old;
    if (old === undefined || !isEstablished(old)) return true;
    const bundle = textAt(old, 'spec', 'conversion', 'webhook', 'clientConfig', 'caBundle');
    return bundle !== '' && bundleProblem(bundle) !== undefined;
  }

  /** The release whose functions a rule may use: a rule that is stored was accepted by a server of this release or of a later one. */
  readonly minorOfRule = (text: string): Minor => (this.#texts().rules.has(text) ? CURRENT : COMPATIBLE);

  readonly minorOfMessage = (text: string): Minor => (this.#texts().messages.has(text) ? CURRENT : COMPATIBLE);

  #texts(): { readonly rules: ReadonlySet<string>; readonly messages: ReadonlySet<string> } {
    if (this.#rules !== undefined) return this.#rules;
    const rules = new Set<string>();
    const messages = new Set<string>();
    someSchema(schemasOf(this.#old ?? {}), (s) => {
      for (const r of objectsAt(s, 'x-kubernetes-validations')) {
        rules.add(textAt(r, 'rule'));
        messages.add(textAt(r, 'messageExpression'));
      }
      return false;
    });
    this.#rules = { rules, messages };
    return this.#rules;
  }

  #ask(name: string, question: (old: JsonObject) => boolean): boolean {
    const known = this.#answers.get(name);
    if (known !== undefined) return known;
    const answer = this.#old !== undefined && question(this.#old);
    this.#answers.set(name, answer);
    return answer;
  }
}

export const isEstablished = (definition: JsonObject): boolean =>
  objectsAt(definition, 'status', 'conditions').some((c) => c['type'] === 'Established' && c['status'] === 'True');
