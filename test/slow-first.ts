import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SLOW_TESTS } from './slow-tests.ts';

/**
 * Starts the slowest files first, so that none of them runs alone at the end, even without timings of an
 * earlier run.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOW_TESTS.findIndex((start) => relative('', moduleId).startsWith(start));
      return at === -1 ? SLOW_TESTS.length : at;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
