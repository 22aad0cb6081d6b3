import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findBreaches } from './prose/find-breaches.ts';

const USAGE = `usage: npm run lint:prose -- [--all FOLDER]
Reports words and openings of doc comments that the style rules out, in the places that test/prose-clean.json lists.
--all FOLDER checks FOLDER, whether it is listed or not.`;

/**
 * Files exempt from the rules: data written by others, stand-ins for user input, and the files that must name
 * the banned words.
 */
const EXEMPT =
  /\.(?:jsonl|png|csv)$|^package-lock\.json$|^LICENSE$|^test\/settings\/of-0\.2\/|^scripts\/prose\/|^packages\/ranking\/src\/text\/stop-words\.ts$|^test\/find-breaches\.test\.ts$/;

function main([option, folder]: readonly string[]): void {
  if (option === undefined) report(readCleanPlaces());
  else if (option === '--all' && folder !== undefined) report([folder]);
  else say(USAGE);
}

/** Prints the breaches in the given folders and files; the process fails if there are any. */
function report(places: readonly string[]): void {
  const breaches = listFiles(places).flatMap((path) =>
    findBreaches(path, readFileSync(path, 'utf8')).map(({ line, word }) => `${path}:${line}: ${word}`),
  );
  for (const breach of breaches) say(breach);
  if (breaches.length > 0) process.exitCode = 1;
}

/** The folders and files whose prose has been edited. */
function readCleanPlaces(): readonly string[] {
  return JSON.parse(readFileSync('test/prose-clean.json', 'utf8')) as string[];
}

/** The tracked and the new files in these places. */
function listFiles(places: readonly string[]): readonly string[] {
  if (places.length === 0) return [];
  const arguments_ = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...places];
  const paths = execFileSync('git', arguments_, { encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
  return [...new Set(paths)].filter((path) => path !== '' && !EXEMPT.test(path) && existsSync(path));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main(process.argv.slice(2));
