import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { failureLines } from './load/failure-lines.ts';
import { measureSoak, type SoakPlan } from './load/measure-soak.ts';
import { soakMarks } from './load/soak-marks.ts';
import { soakTables } from './load/soak-tables.ts';
import { describeMachine } from './machine.ts';
import { marksTable } from './marks.ts';

const USAGE = 'npm run soak [-- --seconds N --conversations N --seed N --json FILE --markdown FILE]';
/** Of the time of the load, and at least this long. */
const [WARM_UP_SHARE, SHORTEST_WARM_UP] = [0.15, 10];

await runCommand(async () => {
  const { plan, files } = readOptions();
  const soak = await measureSoak(plan, showProgress);
  const marks = soakMarks(soak);
  const tables = [...soakTables(soak), marksTable(marks)];
  const { tally, upstream } = soak;
  for (const line of failureLines(tally)) showProgress(line);
  for (const example of upstream.examples) showProgress(`the upstream complained: ${example}`);
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  publish({ title: 'Soak', date, machine, tables, json: { date, machine, plan, marks } }, files);
  if (marks.some(({ isMet }) => !isMet)) process.exitCode = 1;
});

function readOptions(): { plan: SoakPlan; files: { json?: string; markdown?: string } } {
  const { values } = readArguments(
    {
      options: {
        seconds: { type: 'string', default: '300' },
        conversations: { type: 'string', default: '200' },
        seed: { type: 'string', default: '1' },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  const [seconds, conversations, seed] = [values.seconds, values.conversations, values.seed].map(Number);
  if (!(seconds! > 0 && conversations! > 0 && Number.isInteger(seed))) {
    throw new InputError(`--seconds, --conversations and --seed are numbers\nusage: ${USAGE}`);
  }
  const warmUp = { seconds: Math.max(SHORTEST_WARM_UP, seconds! * WARM_UP_SHARE) };
  return {
    plan: { seed: seed!, conversations: conversations!, haste: 1, warmUp, load: { seconds: seconds! } },
    files: values,
  };
}
