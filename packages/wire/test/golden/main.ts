import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderOf, GOLDEN_CASES, runGoldenCase } from './golden-case.ts';

// Names the golden files that no longer show what Winnow writes; with --write it writes them anew.
const isWriting = process.argv.includes('--write');
const stale = GOLDEN_CASES.flatMap((name) =>
  [...runGoldenCase(name)]
    .map(([file, text]) => ({ path: join(folderOf(name), file), text }))
    .filter(({ path, text }) => textIn(path) !== text),
);
for (const { path, text } of stale) {
  if (isWriting) writeFileSync(path, text);
  console.log(`${isWriting ? 'written' : 'stale'}: ${path}`);
}
if (stale.length > 0 && !isWriting) process.exitCode = 1;

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
