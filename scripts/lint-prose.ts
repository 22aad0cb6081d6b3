import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findBreaches } from './prose/find-breaches.ts';

/**
 * Reports words and openings of doc comments that the style rules out, in the folders and files that are named, or
 * in the whole repository: `npm run lint:prose -- [FOLDER]…`. The process fails if there are any.
 */

/**
 * Files exempt from the rules: data written by others, stand-ins for user input, and the files that must name
 * the banned words.
 */
const EXEMPT =
  /\.(?:jsonl|png|csv)$|^package-lock\.json$|^LICENSE$|^test\/settings\/of-0\.2\/|^scripts\/prose\/|^packages\/ranking\/src\/word-vectors\/.*json$|^packages\/ranking\/src\/text\/stop-words\.ts$|^test\/find-breaches\.test\.ts$/;

function main(places: readonly string[]): void {
  const breaches = listFiles(places).flatMap((path) =>
    findBreaches(path, readFileSync(path, 'utf8')).map(({ line, word }) => `${path}:${line}: ${word}`),
  );
  for (const breach of breaches) process.stdout.write(`${breach}\n`);
  if (breaches.length > 0) process.exitCode = 1;
}

/** The tracked and the new files in these places; without any place, all of them. */
function listFiles(places: readonly string[]): readonly string[] {
  const arguments_ = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...places];
  const paths = execFileSync('git', arguments_, { encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
  return [...new Set(paths)].filter((path) => path !== '' && !EXEMPT.test(path) && existsSync(path));
}

main(process.argv.slice(2));
