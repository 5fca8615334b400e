import fc from 'fast-check';

// Before every test file. The same cases on every machine, so that a failure is about the change that it judges;
// PROPERTY_SEED=n (or `random`) looks at others. Shrinking a case that fails ends before the test's own time does, so that the
// case is told and not only that there was no more time.
const asked = process.env['PROPERTY_SEED'] ?? '1';
const seed = asked === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(asked);
if (!Number.isInteger(seed)) throw new Error(`PROPERTY_SEED is a whole number or "random", not ${asked}`);
fc.configureGlobal({ seed, interruptAfterTimeLimit: 60_000 });
