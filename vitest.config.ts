import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isCi } from './test/is-ci.ts';
import { NIGHT_TESTS } from './test/night-tests.ts';
import { SlowFirst } from './test/slow-first.ts';
import { partTags } from './test/system-programs.ts';

const ALL = '{apps,packages,bench,test}/**/*.test.ts';

/** Tests that start processes, open sockets or drive a browser: they say so in their names. All end-to-end tests do. */
const INTEGRATION = ['{apps,packages,bench,test}/**/*.integration.test.ts', 'test/end-to-end/**/*.test.ts'];

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether a suite of very many cases tries all of them (`npm run test:all`), or a fixed sample with a case of each kind. */
    readonly isExhaustive: boolean;
  }
}

const NO_TESTS = ['**/node_modules/**'];

/** A hung stream must fail a test, not the run. Processes take their time to start on a machine that has much else to do. */
const PATIENCE_MS = { unit: 20_000, integration: 60_000 };

// Workers, and the programs that tests start, load the modules that Node has compiled before.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node-compile');

export default defineConfig(({ mode }) => {
  const isExhaustive = mode === 'exhaustive';
  return {
    test: {
      // Modules are loaded by Node itself, as users' are, and in a fifth less time. No test replaces a module.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      // A test that needs a program, or another part that a machine may lack, says so by a tag, and is skipped without it.
      tags: partTags(),
      globalSetup: ['test/leftovers/start-reaper.ts', 'test/tell-skipped.ts', 'test/tell-retried.ts'],
      // The slowest file takes a tenth of it.
      provide: { fileLimitMs: isExhaustive ? 1_200_000 : 600_000, isExhaustive },
      sequence: { sequencer: SlowFirst },
      projects: [
        {
          test: {
            name: 'unit',
            include: [ALL],
            exclude: [...NO_TESTS, ...INTEGRATION],
            setupFiles: ['test/set-up-unit-tests.ts'],
            testTimeout: isExhaustive ? PATIENCE_MS.integration : PATIENCE_MS.unit,
            maxWorkers: availableParallelism(),
            sequence: { groupOrder: 0 },
            // They share nothing but modules, and loading these anew for every file would take longer than the tests do.
            isolate: false,
          },
        },
        {
          test: {
            name: 'integration',
            include: INTEGRATION,
            exclude: isExhaustive ? NO_TESTS : [...NO_TESTS, ...NIGHT_TESTS],
            setupFiles: ['test/plain-environment.ts', 'test/leftovers/register-processes.ts'],
            testTimeout: PATIENCE_MS.integration,
            hookTimeout: PATIENCE_MS.integration,
            // Real processes and sockets on a loaded machine: a single failure is named at the end, and a second one counts.
            retry: isCi() ? 1 : 0,
            // A poll ends as soon as what it waits for is there.
            expect: { poll: { timeout: 20_000 } },
            // They start and close their own servers; loading the client libraries anew takes half of the time.
            isolate: false,
            // Most of these tests wait for others most of their time.
            maxWorkers: availableParallelism() + 2,
            sequence: { groupOrder: 1 },
          },
        },
      ],
    },
  };
});
