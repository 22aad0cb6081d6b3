import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { missingPrograms, SYSTEM_PROGRAMS } from './test/system-programs.ts';

const ALL = '{apps,packages,bench,test}/**/*.test.ts';

/** What starts processes, opens sockets or drives a browser says so in its name. Of the end-to-end tests all do. */
const INTEGRATION = ['{apps,packages,bench,test}/**/*.integration.test.ts', 'test/end-to-end/**/*.test.ts'];

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Whether a suite of very many cases tries all of them, as in the integration run, or the sample that the unit run has time for. Such a
     * suite has an integration test beside it that imports it.
     */
    readonly isExhaustive: boolean;
  }
}

const NO_TESTS = ['**/node_modules/**'];

/** A hung stream must fail a test, not the run. Processes take their time to start on a machine that has much else to do. */
const PATIENCE_MS = { unit: 20_000, integration: 60_000 };

const missing = missingPrograms();

export default defineConfig({
  test: {
    // Modules are loaded by Node itself, as users' are, and in a fifth less time. No test replaces a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A test that needs a program says so by a tag, and is skipped where there is none.
    tags: SYSTEM_PROGRAMS.map((program) => ({
      name: program.tag,
      ...(missing.includes(program) && { skip: true }),
    })),
    globalSetup: ['test/leftovers/start-reaper.ts', 'test/tell-skipped.ts'],
    // The slowest file takes a tenth of it.
    provide: { fileLimitMs: 300_000 },
    // Most integration tests wait for others most of their time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          include: [ALL],
          exclude: [...NO_TESTS, ...INTEGRATION],
          setupFiles: ['test/set-up-unit-tests.ts'],
          testTimeout: PATIENCE_MS.unit,
          // They share nothing but modules, and loading these anew for every file would take longer than the tests do.
          isolate: false,
          provide: { isExhaustive: false },
        },
      },
      {
        test: {
          name: 'integration',
          include: INTEGRATION,
          exclude: NO_TESTS,
          setupFiles: ['test/plain-environment.ts', 'test/leftovers/register-processes.ts'],
          testTimeout: PATIENCE_MS.integration,
          hookTimeout: PATIENCE_MS.integration,
          provide: { isExhaustive: true },
        },
      },
    ],
  },
});
