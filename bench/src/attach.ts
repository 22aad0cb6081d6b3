import { FULL_PLAN, measureAttach, QUICK_PLAN } from './attach/measure-attach.ts';
import { measureScores } from './attach/measure-scores.ts';
import { attachMarks, attachTables } from './attach/tables.ts';
import { ownCheckout, versionsLine, versionsOf } from './checkout.ts';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { describeMachine } from './machine.ts';
import { marksTable, resultsTable } from './marks.ts';

const USAGE = 'npm run bench:attach [-- DIR --quick --json FILE --markdown FILE]';

await runCommand(async () => {
  const { values, positionals } = readArguments(
    {
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  const [directory] = positionals;
  if (directory === undefined)
    showProgress('without a folder of public sets, scores are left out: npm run fetch:sets -- DIR');
  const scores = directory === undefined ? undefined : await measureScores(directory);
  const request = await measureAttach(values.quick ? QUICK_PLAN : FULL_PLAN);
  const measurements = { request, scores };
  const marks = attachMarks(measurements);
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const versions = versionsOf(ownCheckout(), undefined);
  publish(
    {
      title: 'Attach bench',
      date,
      machine,
      notes: [versionsLine(versions)],
      command: 'bench:attach -- DIR',
      tables: [...attachTables(measurements), marksTable(marks)],
      page: resultsTable([], marks),
      json: { date, machine, versions, marks, ...measurements },
    },
    values,
  );
});
