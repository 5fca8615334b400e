// The measured compiled tree: TRIREME_DIST, or dist/ of this checkout.
import { fileURLToPath } from 'node:url';

export const dist = process.env.TRIREME_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url));
