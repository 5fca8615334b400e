import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, openAsked } from './asked.js';
import { establish, fieldsOf, removeDefinition, THINGS, thing, tryDefinition, withRule } from './definition.js';
import { playSequence } from './player.js';
import { expressions, refusedRules } from './statements/expressions.js';
import { policyExpressions } from './statements/policyexpressions.js';

/** Plays the statements about the expression language (specification document 3): rules of custom resources, admission policies. */
let asked: Asked;
beforeAll(async () => {
  asked = await openAsked();
  await establish(asked.client, fieldsOf(expressions));
}, 120_000);
afterAll(async () => {
  await removeDefinition(asked.client);
  await asked.close();
});

describe('an expression', () => {
  it.each(expressions.map((e, i) => [`${e.section}: ${e.text}`, e, `f${i}`] as const))(
    '%s',
    async (_title, e, field) => {
      const accepted = await asked.client.ask(`${THINGS}?dryRun=All`, { body: thing(field, e.accepted) });
      expect(accepted.status, accepted.body.toString()).toBe(201);
      const refused = await asked.client.ask(`${THINGS}?dryRun=All`, { body: thing(field, e.refused) });
      expect(refused.status, refused.body.toString()).toBe(422);
      expect(refused.json().details.causes[0].field).toBe(field);
    },
  );

  it.each(refusedRules)('is refused: %s', async (_title, schema, rule) => {
    const reply = await tryDefinition(asked.client, { field: withRule(schema, rule) });
    expect(reply.status, reply.body.toString()).toBe(422);
    expect(reply.body.toString()).toContain('properties[field].x-kubernetes-validations[0].rule');
  });

  it.each(policyExpressions.map((s) => [`${s.section}: ${s.text}`, s] as const))('%s', async (_title, s) => {
    await playSequence(asked.client, s);
  });
});
