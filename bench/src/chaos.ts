import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { chaosMarks } from './load/chaos-marks.ts';
import { chaosTables } from './load/chaos-tables.ts';
import { failureLines } from './load/failure-lines.ts';
import { type ChaosPlan, measureChaos, PHASES } from './load/measure-chaos.ts';
import { describeMachine } from './machine.ts';
import { marksTable } from './marks.ts';

const USAGE = 'npm run chaos [-- --seconds N --conversations N --seed N --json FILE --markdown FILE]';
/** How long the parts around the chaos take. */
const SECONDS = { calm: 15, healing: 10, peace: 15 } as const;

await runCommand(async () => {
  const { plan, files } = readOptions();
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
  publish({ title: 'Chaos', date, machine, tables, json: { date, machine, plan, marks } }, files);
  if (marks.some(({ isMet }) => !isMet)) process.exitCode = 1;
});

function readOptions(): { plan: ChaosPlan; files: { json?: string; markdown?: string } } {
  const { values } = readArguments(
    {
      options: {
        seconds: { type: 'string', default: '180' },
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
  const plan = {
    seed: seed!,
    conversations: conversations!,
    haste: 1,
    calm: { seconds: SECONDS.calm },
    chaos: { seconds: seconds! },
    healing: { seconds: SECONDS.healing },
    peace: { seconds: SECONDS.peace },
  };
  return { plan, files: values };
}
