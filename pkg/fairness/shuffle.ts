/**
 * Shuffle sharding: a flow is dealt a hand of distinct queues, which depends on its hash only. Two flows share all
 * queues of their hands only with a small probability, so when one flow floods its queues, the others nearly always
 * have a short one.
 */

/**
 * A hash of 53 bits (two rounds of FNV-1a with different offsets). Not cryptographic: there are few flows, and
 * administrators name them.
 */
export function flowHash(schema: string, distinguisher: string): number {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (const text of [schema, ',', distinguisher]) {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ (unit + i), 0x5bd1e995);
    }
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

/**
 * Deals `handSize` distinct cards of a deck of `deckSize`. Each digit of the hash, in a mixed radix, picks one of the cards that are left.
 */
export function deal(hash: number, deckSize: number, handSize: number): readonly number[] {
  const hand: number[] = [];
  let rest = hash;
  for (let i = 0; i < handSize; i++) {
    const left = deckSize - i;
    let card = rest % left;
    rest = Math.floor(rest / left);
    // The picked number counts the remaining cards; skip those already dealt, in ascending order.
    for (const dealt of [...hand].sort((a, b) => a - b)) if (dealt <= card) card++;
    hand.push(card);
  }
  return hand;
}
