import fc from 'fast-check';
import { sealSharedValues } from '../pkg/cache/sharedvalues.js';

// Runs before every test file. Property tests use the same cases on every machine, so that a failure is caused by the change under
// test; PROPERTY_SEED=n (or `random`) uses others. Shrinking ends before the test's timeout, so that the failing case is
// reported and not only the timeout.
const asked = process.env['PROPERTY_SEED'] ?? '1';
const seed = asked === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(asked);
if (!Number.isInteger(seed)) throw new Error(`PROPERTY_SEED is a whole number or "random", not ${asked}`);
fc.configureGlobal({ seed, interruptAfterTimeLimit: 60_000 });

// A reader that changes an object that others read fails its test.
sealSharedValues();
