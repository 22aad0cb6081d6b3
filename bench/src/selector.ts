import { baselineCheckout, ownCheckout, versionsLine, versionsOf } from './checkout.ts';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { describeMachine } from './machine.ts';
import { marksTable, resultsTable } from './marks.ts';
import { selectorMarks } from './selector/marks.ts';
import { measureSelector } from './selector/measure-selector.ts';
import { FULL_PLAN, type MeasurePlan, QUICK_PLAN } from './selector/plan.ts';
import type { SelectorRun } from './selector/run.ts';
import { selectorFigures, selectorTables } from './selector/tables.ts';

const USAGE =
  'npm run bench:selector [-- --sizes 50,500 --seconds N --quick --baseline DIR --json FILE --markdown FILE]';

await runCommand(async () => {
  const options = readOptions();
  const own = ownCheckout();
  const baseline = options.baseline === undefined ? undefined : baselineCheckout(options.baseline);
  const measurements = await measureSelector(planOf(options), { baseline, report: showProgress });
  const marks = selectorMarks(measurements);
  const run: SelectorRun = {
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions: versionsOf(own, baseline),
    marks,
    ...measurements,
  };
  const tables = [...selectorTables(run), marksTable(marks)];
  const notes = [versionsLine(run.versions)];
  const { date, machine } = run;
  const page = resultsTable(selectorFigures(run), marks);
  publish(
    { title: 'Selector bench', date, machine, command: 'bench:selector', notes, tables, page, json: run },
    options,
  );
});

function readOptions() {
  const { values } = readArguments(
    {
      options: {
        sizes: { type: 'string' },
        seconds: { type: 'string' },
        baseline: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  return values;
}

/** Returns the plan with the changes of the command line. */
function planOf({ quick, sizes, seconds }: ReturnType<typeof readOptions>): MeasurePlan {
  const plan = quick ? QUICK_PLAN : FULL_PLAN;
  return {
    ...plan,
    ...(sizes !== undefined && {
      sizes: sizes.split(',').map((size) => wholeNumber('--sizes', size, 20_000)),
    }),
    ...(seconds !== undefined && {
      effort: { ...plan.effort, seconds: wholeNumber('--seconds', seconds, 3_600) },
    }),
  };
}

function wholeNumber(option: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new InputError(`${option} takes whole numbers from 1 to ${most}, not "${text}"\nusage: ${USAGE}`);
}
