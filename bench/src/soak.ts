import { publish, runCommand, showProgress } from './command.ts';
import { failureLines } from './load/failure-lines.ts';
import { measureSoak, type SoakPlan } from './load/measure-soak.ts';
import { type LoadOptions, readLoadOptions } from './load/read-load-options.ts';
import { soakMarks } from './load/soak-marks.ts';
import { soakFigures, soakTables } from './load/soak-tables.ts';
import { describeMachine } from './machine.ts';
import { marksLine, marksTable, resultsTable } from './marks.ts';

/**
 * Share of the time of the load, with a minimum in seconds; the code of nine formats is compiled meanwhile.
 */
const [WARM_UP_SHARE, SHORTEST_WARM_UP] = [0.4, 10];

/** Marks of one process: the page counts them and names those that are missed. */
const OF_A_PROCESS = /^(?:selector|proxy) \d: /;

await runCommand(async () => {
  const options = readLoadOptions('soak', 300);
  const plan = planOf(options);
  const soak = await measureSoak(plan, showProgress);
  const marks = soakMarks(soak);
  const tables = [...soakTables(soak), marksTable(marks)];
  const { tally, upstream } = soak;
  for (const line of failureLines(tally)) showProgress(line);
  for (const example of upstream.examples) showProgress(`the upstream complained: ${example}`);
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const page = resultsTable(
    soakFigures(soak),
    marks.filter(({ what }) => !OF_A_PROCESS.test(what)),
  );
  const notes = [marksLine(marks)];
  const json = { date, machine, plan, marks };
  publish({ title: 'Soak', date, machine, command: 'soak', notes, tables, page, json }, options.files);
  if (marks.some(({ isMet }) => !isMet)) process.exitCode = 1;
});

function planOf({ seconds, conversations, seed }: LoadOptions): SoakPlan {
  const warmUp = { seconds: Math.max(SHORTEST_WARM_UP, seconds * WARM_UP_SHARE) };
  return { seed, conversations, haste: 1, warmUp, load: { seconds } };
}
