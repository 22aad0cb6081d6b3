import type { TestProject } from 'vitest/node';

/** Runs around all tests: at the end, prints a line for each test that passed at its second attempt only. */
export default function tellRetried({ vitest }: TestProject): () => void {
  return () => {
    for (const module of vitest.state.getTestModules())
      for (const test of module.children.allTests('passed'))
        if (test.diagnostic()?.flaky === true)
          vitest.logger.log(`failed at first, then passed: ${module.relativeModuleId} > ${test.fullName}`);
  };
}
