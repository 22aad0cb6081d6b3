import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Counts the product's lines of code: `apps` and `packages` without tests, testkit, comments and blank lines.
 */

const PRODUCT = /^(apps|packages)\/(?!testkit\/).*\.(ts|html|css|c?js)$/;
const TESTS = /\/test\/|\.test\.ts$|\.d\.ts$/;

const files = execFileSync('git', ['ls-files', 'apps', 'packages'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => PRODUCT.test(file) && !TESTS.test(file));

const byPackage = new Map<string, number>();
for (const file of files) {
  const home = file.split('/').slice(0, 2).join('/');
  byPackage.set(home, (byPackage.get(home) ?? 0) + linesOfCode(readFileSync(file, 'utf8')));
}
for (const [home, lines] of byPackage) console.log(`${String(lines).padStart(7)} ${home}`);
const total = [...byPackage.values()].reduce((sum, lines) => sum + lines, 0);
console.log(`${String(total).padStart(7)} lines of product code`);

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
