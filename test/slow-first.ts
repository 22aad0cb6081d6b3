import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, by the beginnings of their paths. */
const SLOW = [
  'test/end-to-end/clients.test.ts',
  'test/bounds/',
  'bench/test/proxy/',
  'test/end-to-end/leaving-clients.test.ts',
  'test/end-to-end/forgotten-clients.test.ts',
  'test/end-to-end/several-proxies.test.ts',
  'test/end-to-end/rollout.test.ts',
  'test/leftovers/',
  'test/probe.integration.test.ts',
  'test/package.integration.test.ts',
  'test/end-to-end/report-of-formats.test.ts',
  'bench/test/load/',
] as const;

/** Starts the slowest files first, so that none of them is left alone at the end, also where no earlier run has been timed. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((start) => relative('', moduleId).startsWith(start));
      return at === -1 ? SLOW.length : at;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
