import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Threads without isolation: thousands of small tests start in seconds. A test that needs its own
// process (the built server, kubectl) spawns it.
export default defineConfig({
  test: {
    include: ['{cmd,pkg,raft,proto,test,scripts,examples}/**/*.test.ts'],
    // Examples import the package by its name, as a user does.
    alias: { trireme: fileURLToPath(new URL('./pkg/server/index.ts', import.meta.url)) },
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    setupFiles: ['test/setup.ts'],
    // Limits for tests that hang; a slow machine must not fail a test.
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
});
