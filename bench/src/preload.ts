import { fileURLToPath } from 'node:url';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { describeMachine } from './machine.ts';
import { marksLine, marksTable } from './marks.ts';
import { measurePreload, type PreloadMeasurement } from './preload/measure-preload.ts';
import { measureTasks, type TasksMeasurement, taskMarks, tasksTable } from './preload/measure-tasks.ts';
import { needsTable, preloadTables } from './preload/tables.ts';
import { TASK_SETS } from './preload/tasks-of.ts';
import { type RetrievalSet, readSets } from './retrieval/read-sets.ts';

const USAGE = 'npm run bench:preload -- [DIR] [--sets a,b] [--tasks] [--json FILE] [--markdown FILE]';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

await runCommand(async () => {
  const { values, positionals } = readArguments(
    {
      allowPositionals: true,
      options: {
        sets: { type: 'string' },
        tasks: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  if (positionals.length > 1) throw new InputError(`expected one folder at most\nusage: ${USAGE}`);
  const measured: PreloadMeasurement[] = [];
  const tasks: TasksMeasurement[] = [];
  for (const set of [
    ...readSets(ROOT, ['examples']),
    ...publicSets(positionals[0], values.sets?.split(',')),
  ]) {
    measured.push(await measurePreload(set));
    if (TASK_SETS.includes(set.name)) tasks.push(await measureTasks(set));
    showProgress(`${set.name}: done`);
  }
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const marks = taskMarks(tasks);
  const tables = [
    ...preloadTables(measured),
    ...(tasks.length > 0 ? [tasksTable(tasks), marksTable(marks)] : []),
  ];
  publish(
    {
      title: 'Preload bench',
      date,
      machine,
      command: values.tasks ? 'bench:preload -- DIR --tasks' : 'bench:preload -- DIR',
      notes: marks.length > 0 ? [marksLine(marks)] : [],
      tables,
      page: values.tasks ? tasksTable(tasks) : needsTable(measured),
      json: { date, machine, measured, tasks, marks },
    },
    values,
  );
});

function publicSets(directory: string | undefined, names: string[] | undefined): RetrievalSet[] {
  if (directory !== undefined) return readSets(directory, names);
  showProgress('No folder of public sets is given: only the example catalogue is measured.');
  return [];
}
