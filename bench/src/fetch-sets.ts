import { readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { FETCHED_SETS } from './sets/all-sets.ts';
import { fetchSet } from './sets/fetch-set.ts';
import type { ConvertedSet, RecordedSet, SetSource } from './sets/set-source.ts';

type AnySource = SetSource<ConvertedSet | RecordedSet>;

const USAGE = 'npm run fetch:sets -- DIR [--sets a,b] [--from https://codeload.github.com]';
const GITHUB = 'https://codeload.github.com';
const PROGRESS_EVERY_MS = 2_000;

await runCommand(async () => {
  const { values, positionals } = readArguments(
    {
      allowPositionals: true,
      options: { sets: { type: 'string' }, from: { type: 'string', default: GITHUB } },
    },
    USAGE,
  );
  const [directory, ...others] = positionals;
  if (directory === undefined || others.length > 0) throw new InputError(`usage: ${USAGE}`);
  const from = values.from.replace(/\/+$/, '');
  for (const source of chooseSets(values.sets)) {
    try {
      await fetchWithProgress(source, from, directory);
    } catch (error) {
      // Continue: the other sets are still worth fetching.
      if (!(error instanceof InputError)) throw error;
      showProgress(error.message);
      process.exitCode = 1;
    }
  }
});

function chooseSets(names: string | undefined): readonly AnySource[] {
  if (names === undefined) return FETCHED_SETS;
  return names.split(',').map((name) => {
    const source = FETCHED_SETS.find((set) => set.name === name);
    if (source !== undefined) return source;
    throw new InputError(`no set "${name}"; there are: ${FETCHED_SETS.map((set) => set.name).join(', ')}`);
  });
}

async function fetchWithProgress(source: AnySource, from: string, directory: string): Promise<void> {
  const { name, repository, commit } = source;
  let received = 0;
  const report = () =>
    showProgress(`${name}: ${(received / 1024 / 1024).toFixed(1)} MiB of ${repository} so far`);
  const timer = setInterval(report, PROGRESS_EVERY_MS);
  try {
    const outcome = await fetchSet(source, {
      from,
      directory,
      onBytes: (total) => {
        received = total;
      },
    });
    process.stdout.write(
      outcome === 'present'
        ? `${name}: there already, checksums agree\n`
        : `${name}: fetched from ${repository} @ ${commit.slice(0, 8)}, checksums agree\n`,
    );
  } finally {
    clearInterval(timer);
  }
}
