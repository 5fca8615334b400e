// The compiled tree that is measured: TRIREME_DIST, or this checkout's.
import { fileURLToPath } from 'node:url';

export const dist = process.env.TRIREME_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url));
