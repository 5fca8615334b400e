import { describe, expect, it } from 'vitest';
import { encodeEntry } from '../../storage/index.js';
import { type EnvelopeForm, proposalProblem, seal, unseal } from './envelope.js';

const command = encodeEntry({ kind: 'check' });
const FORMS: readonly EnvelopeForm[] = [1, 2];

describe('an envelope', () => {
  for (const form of FORMS) {
    it(`of form ${form} returns the sealed content`, () => {
      const sealed = seal({ origin: 2 ** 48 - 2, id: 7, command, form });
      expect(unseal(sealed)).toMatchObject({ kind: 'ok', origin: 2 ** 48 - 2, id: 7, command });
      expect(proposalProblem(sealed)).toBeUndefined();
    });

    it(`of form ${form} that is cut short is malformed, never an error`, () => {
      const sealed = seal({ origin: 1, id: 7, command, form });
      for (let length = 0; length < sealed.length; length++) {
        const cut = sealed.subarray(0, length);
        expect(proposalProblem(cut)).toMatch(/malformed/);
        expect(() => unseal(cut)).not.toThrow();
      }
    });
  }

  it('of form 2 is malformed if any bit has changed', () => {
    const sealed = seal({ origin: 1, id: 7, command, form: 2 });
    for (let at = 7; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(unseal(changed).kind).toBe('malformed');
    }
  });

  it('with an unknown command is refused by the receiver', () => {
    const sealed = seal({ origin: 1, id: 7, command: Buffer.from([9, 9, 9]), form: 1 });
    expect(proposalProblem(sealed)).toMatch(/unknown entry version/);
  });

  it('of a newer release stops the peer that applies it, and is refused by the receiver', () => {
    const sealed = seal({ origin: 1, id: 7, command, form: 2 });
    sealed[6] = 3;
    expect(() => unseal(sealed)).toThrow(/upgrade this peer/);
    expect(proposalProblem(sealed)).toMatch(/upgrade this peer/);
  });
});
