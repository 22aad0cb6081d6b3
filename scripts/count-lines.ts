import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Counts the product's lines of code and its files: `apps` and `packages` without tests, comments and blank
 * lines.
 */

const CODE = /^(?:apps|packages)\/.*\.(?:ts|html|css|c?js)$/;
const TESTS = /\/test\/|\.test\.ts$|\.d\.ts$/;

/** Counted, but not in the total. */
const APART: Readonly<Record<string, string>> = {
  'packages/testkit': 'fakes for the tests',
  'apps/conformance': 'the mark of 60,000 lines was set for the house without this tool for other gateways',
};

interface Count {
  readonly lines: number;
  readonly files: number;
}

const counts = new Map<string, Count>();
for (const file of execFileSync('git', ['ls-files', 'apps', 'packages'], { encoding: 'utf8' }).split('\n')) {
  if (!CODE.test(file) || TESTS.test(file)) continue;
  const home = file.split('/').slice(0, 2).join('/');
  const { lines, files } = counts.get(home) ?? { lines: 0, files: 0 };
  counts.set(home, { lines: lines + linesOfCode(readFileSync(file, 'utf8')), files: files + 1 });
}

const product = [...counts].filter(([home]) => !(home in APART));
for (const [home, count] of product) print(count, home);
const sum = (field: keyof Count) => product.reduce((total, [, count]) => total + count[field], 0);
print({ lines: sum('lines'), files: sum('files') }, 'product: lines of code, and files');
for (const [home, reason] of Object.entries(APART)) print(counts.get(home)!, `${home}, apart: ${reason}`);

function print({ lines, files }: Count, text: string): void {
  console.log(`${String(lines).padStart(7)} ${String(files).padStart(5)} ${text}`);
}

/** Returns the number of lines that hold code. A block comment is recognized only where it opens a line. */
function linesOfCode(text: string): number {
  let isComment = false;
  let count = 0;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (isComment) {
      isComment = !line.includes('*/');
      continue;
    }
    if (line.startsWith('/*')) {
      isComment = !line.includes('*/');
      continue;
    }
    if (line !== '' && !line.startsWith('//')) count += 1;
  }
  return count;
}
