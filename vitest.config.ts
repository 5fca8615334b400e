import { defineConfig } from 'vitest/config';

// Threads without isolation: thousands of small tests start in seconds. A test that needs its own
// process (the built server, kubectl) spawns it.
export default defineConfig({
  test: {
    include: ['{cmd,pkg,raft,proto,test,scripts}/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
