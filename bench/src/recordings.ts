import { readArguments, runCommand } from './command.ts';
import { InputError } from './input-error.ts';
import { type Played, playRecording } from './recordings/play-recording.ts';
import { readRecordings } from './recordings/read-recordings.ts';

const USAGE = 'npm run recordings -- DIR';

await runCommand(async () => {
  const { positionals } = readArguments({ allowPositionals: true }, USAGE);
  const [folder] = positionals;
  if (folder === undefined) throw new InputError(`usage: ${USAGE}`);
  const played = readRecordings(folder).map((recording) => ({ recording, played: playRecording(recording) }));
  if (played.length === 0) throw new InputError(`${folder} has no recordings of a known format`);
  for (const { recording, played: outcome } of played) {
    if (outcome.kind !== 'untouched') process.stdout.write(`${recording.name}: ${describe(outcome)}\n`);
  }
  const count = (kind: Played['kind']) =>
    played.filter(({ played: outcome }) => outcome.kind === kind).length;
  process.stdout.write(
    `${played.length} responses: ${count('untouched')} untouched, ${count('repaired')} repaired, ${count('changed')} changed.\n`,
  );
  if (count('changed') > 0) process.exitCode = 1;
});

function describe(outcome: Exclude<Played, { kind: 'untouched' }>): string {
  if (outcome.kind === 'repaired') return outcome.repairs.join(', ');
  return `changed at event ${outcome.event + 1}\n  given: ${outcome.given}\n  sent:  ${outcome.sent}`;
}
