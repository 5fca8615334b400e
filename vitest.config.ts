import { defineConfig } from 'vitest/config';

// Threads without isolation: thousands of small tests start in seconds. A test that needs its own
// process (the built server, kubectl) spawns it.
export default defineConfig({
  test: {
    include: ['{cmd,pkg,raft,proto,test,scripts}/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    setupFiles: ['test/setup.ts'],
    // What hangs, not what is slow: a busy machine must not decide.
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
