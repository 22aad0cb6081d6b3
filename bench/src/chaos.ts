import { publish, runCommand, showProgress } from './command.ts';
import { chaosMarks } from './load/chaos-marks.ts';
import { chaosFigures, chaosTables } from './load/chaos-tables.ts';
import { failureLines } from './load/failure-lines.ts';
import { type ChaosPlan, measureChaos, PHASES } from './load/measure-chaos.ts';
import { type LoadOptions, readLoadOptions } from './load/read-load-options.ts';
import { describeMachine } from './machine.ts';
import { marksLine, marksTable, resultsTable } from './marks.ts';

/**
 * Duration of the parts around the chaos, in seconds. The calm also warms up: the code of nine formats is
 * compiled then.
 */
const SECONDS = { calm: 60, healing: 10, peace: 15 } as const;

/** Marks of one process: the page counts them and names those that are missed. */
const OF_A_PROCESS = /^(?:selector|proxy) \d: /;

await runCommand(async () => {
  const options = readLoadOptions('chaos', 180);
  const plan = planOf(options);
  showProgress(`seed ${plan.seed}`);
  const chaos = await measureChaos(plan, showProgress);
  const marks = chaosMarks(chaos);
  const tables = [...chaosTables(chaos), marksTable(marks)];
  for (const line of chaos.drains.bad) showProgress(line);
  for (const phase of PHASES) {
    const { tally, upstream } = chaos.phases[phase];
    for (const line of failureLines(tally)) showProgress(`${phase}: ${line}`);
    for (const example of upstream.examples) showProgress(`${phase}: the upstream complained: ${example}`);
  }
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const page = resultsTable(
    chaosFigures(chaos),
    marks.filter(({ what }) => !OF_A_PROCESS.test(what)),
  );
  const notes = [marksLine(marks)];
  const json = { date, machine, plan, marks };
  publish({ title: 'Chaos', date, machine, command: 'chaos', notes, tables, page, json }, options.files);
  if (marks.some(({ isMet }) => !isMet)) process.exitCode = 1;
});

function planOf({ seconds, conversations, seed }: LoadOptions): ChaosPlan {
  return {
    seed,
    conversations,
    haste: 1,
    calm: { seconds: SECONDS.calm },
    chaos: { seconds },
    healing: { seconds: SECONDS.healing },
    peace: { seconds: SECONDS.peace },
  };
}
