import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{apps,packages}/*/{src,test}/**/*.test.ts', 'bench/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: 'test/plain-environment.ts',
    // Every suite starts its own servers on free ports; a hung stream must fail a test, not the run.
    testTimeout: 20_000,
  },
});
