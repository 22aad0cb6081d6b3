import type { TestProject } from 'vitest/node';
import { missingPrograms, type SystemProgram } from './system-programs.ts';

/**
 * Runs around all tests: says at the end, in a line for each program that is missing, what was skipped without it and how to install it.
 * With `CI` set that is a failure: there everything must be tested.
 */
export default function tellSkipped({ vitest }: TestProject): () => void {
  return () => {
    const modules = vitest.state.getTestModules();
    const lines = missingPrograms().flatMap((program) => {
      const skipped = modules.flatMap((module) =>
        [...module.children.allTests('skipped')].filter(({ tags }) => tags.includes(program.tag)),
      );
      return skipped.length > 0 ? [skippedLine(program, skipped.length)] : [];
    });
    for (const line of lines) vitest.logger.log(line);
    if (lines.length > 0 && isCi()) {
      vitest.logger.error('CI is set, and every test must run there.');
      process.exitCode = 1;
    }
  };
}

function skippedLine({ names, tests, debianPackage }: SystemProgram, count: number): string {
  return `${names[0]} is not installed: skipped ${count} ${count === 1 ? 'test' : 'tests'} (${tests}). To run them: apt-get install ${debianPackage}`;
}

function isCi(): boolean {
  const { CI: ci = '' } = process.env;
  return !['', '0', 'false'].includes(ci);
}
