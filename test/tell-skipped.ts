import type { TestProject } from 'vitest/node';
import { isCi } from './is-ci.ts';
import { missingPrograms, OUTSIDE_PARTS, partsDoneWithout, type SystemProgram } from './system-programs.ts';

/**
 * Runs around all tests: at the end, prints a line for each missing program, with the tests that were skipped
 * and how to install it. With `CI` set that is a failure, and so is any skipped test that no table excuses,
 * because everything must be tested there. Parts that no Debian package contains get a line each, and are a
 * failure with `CI` unless `WINNOW_WITHOUT` names them.
 */
export default function tellSkipped({ vitest }: TestProject): () => void {
  return () => {
    // A run of selected tests skips the others.
    if (vitest.config.testNamePattern !== undefined) return;
    const skipped = vitest.state
      .getTestModules()
      .flatMap((module) => [...module.children.allTests('skipped')]);
    const of = (tag: string) => skipped.filter(({ tags }) => tags.includes(tag)).length;
    const unavailable = OUTSIDE_PARTS.filter(({ tag }) => of(tag) > 0);
    for (const { tag, name, tests } of unavailable)
      vitest.logger.log(`not available here: ${name}; skipped ${count(of(tag))} (${tests})`);
    const isDoneWithout = ({ tag }: { readonly tag: string }) => partsDoneWithout().includes(tag);
    const missed = unavailable.filter((part) => !isDoneWithout(part)).map(({ tag }) => tag);
    const failures = missingPrograms()
      .filter(({ tag }) => of(tag) > 0)
      .map((program) => skippedLine(program, of(program.tag)));
    const excuses: readonly string[] = [
      ...unavailable.map(({ tag }) => tag),
      ...missingPrograms().map(({ tag }) => tag),
    ];
    for (const { fullName, tags } of skipped)
      if (!tags.some((tag) => excuses.includes(tag))) failures.push(`skipped without a reason: ${fullName}`);
    for (const line of failures) vitest.logger.log(line);
    if (failures.length + missed.length > 0 && isCi()) {
      vitest.logger.error('CI is set, and every test must run there.');
      if (missed.length > 0)
        vitest.logger.error(`To do without these parts, set WINNOW_WITHOUT=${missed.join(',')}`);
      process.exitCode = 1;
    }
  };
}

function skippedLine({ names, tests, debianPackage }: SystemProgram, skipped: number): string {
  return `${names[0]} is not installed: skipped ${count(skipped)} (${tests}). To run them: apt-get install ${debianPackage}`;
}

function count(tests: number): string {
  return `${tests} ${tests === 1 ? 'test' : 'tests'}`;
}
