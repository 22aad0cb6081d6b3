import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { describeMachine } from './machine.ts';
import { marksLine, marksTable } from './marks.ts';
import { measureTasks, type TasksMeasurement, taskMarks, tasksTable } from './preload/measure-tasks.ts';
import { TASK_SETS } from './preload/tasks-of.ts';
import { meaningRanker } from './rankers/meaning-ranker.ts';
import { chooseRankers } from './rankers.ts';
import { comparisonTable } from './retrieval/comparison-table.ts';
import { EXACT_NAMES, retrievalMarks } from './retrieval/marks.ts';
import { meaningMarks } from './retrieval/meaning-marks.ts';
import { callsMarks, callsTable, measureCalls } from './retrieval/measure-calls.ts';
import { measureSayingNo } from './retrieval/measure-saying-no.ts';
import { measureSets } from './retrieval/measure-sets.ts';
import { mixSets } from './retrieval/mix-sets.ts';
import { compareMixtures, mixedMarks, mixedTable } from './retrieval/mixed-table.ts';
import { openMeaning } from './retrieval/open-meaning.ts';
import { parametersLeftOut } from './retrieval/parameters-left-out.ts';
import { readSets } from './retrieval/read-sets.ts';
import { readUnanswerable } from './retrieval/read-unanswerable.ts';
import { meanOverSets, type Run, readRun, splitMeasurements } from './retrieval/run.ts';
import { qualityTable, retrievalTables } from './retrieval/tables.ts';

const USAGE =
  'npm run bench:retrieval -- DIR [--sets a,b] [--rankers bm25,wink] [--no-misspelt] [--no-mixed] [--leave-one-out] [--embedder onnx:FOLDER | URL#MODEL] [--vectors FILE] [--unanswerable DIR] [--json FILE] [--markdown FILE] [--against FILE]';

await runCommand(async () => {
  const { directory, options } = readOptions();
  const sets = readSets(directory, list(options.sets));
  const rankers = [...chooseRankers(list(options.rankers))];
  // Read before measuring: a wrong file name should not cost a whole run.
  const before = options.against === undefined ? undefined : readRun(options.against);
  const files = options.unanswerable === undefined ? [] : readUnanswerable(options.unanswerable);

  for (const warning of sets.flatMap((set) => set.warnings)) showProgress(`warning: ${warning}`);
  const mixed = options.mixed ? mixSets(sets) : [];
  const meaning = options.embedder === undefined ? undefined : openMeaning(options);
  if (meaning) rankers.push(meaningRanker(meaning.meanings));
  await meaning?.learn(sets);
  const alone = await measureSets(sets, rankers, options.misspelt, showProgress);
  const together = await measureSets(mixed, rankers, false, showProgress);
  const saysNo = await measureSayingNo({ sets, files, rankers, meanings: meaning?.meanings });
  const calls = await measureCalls(sets);
  const tasks: TasksMeasurement[] = [];
  for (const set of sets) if (TASK_SETS.includes(set.name)) tasks.push(await measureTasks(set));
  const leftOut = options['leave-one-out'] ? [await parametersLeftOut(sets, showProgress)] : [];
  const measured = splitMeasurements({ ...alone, ...together });
  const mixtures = compareMixtures(measured.queries);
  const marks = [
    ...(await retrievalMarks(measured.sets, sets)),
    ...mixedMarks(mixtures),
    ...saysNo.marks,
    ...callsMarks(calls),
    ...taskMarks(tasks),
    ...(meaning ? await meaningMarks(measured.sets, sets, await meaning.searchMs(mixed)) : []),
  ];
  await meaning?.close();
  const run: Run = {
    date: new Date().toISOString(),
    machine: describeMachine(),
    sets: measured.sets,
    mean: meanOverSets(splitMeasurements(alone).sets),
    marks,
    queries: measured.queries,
  };

  const comparison = before === undefined ? [] : [comparisonTable(before, run)];
  const tables = [
    ...retrievalTables(run),
    mixedTable(mixtures),
    ...leftOut,
    ...saysNo.tables,
    callsTable(calls),
    tasksTable(tasks),
    marksTable(marks),
    ...comparison,
  ].filter(({ rows }) => rows.length > 0);
  const { date, machine } = run;
  const exactNames = marks.filter(({ what }) => what === EXACT_NAMES);
  publish(
    {
      title: 'Retrieval bench',
      date,
      machine,
      command: 'bench:retrieval -- DIR',
      notes: [
        marksLine(marks),
        ...exactNames.map(({ measured: count }) => `By its exact name, a tool is found first: ${count}.`),
      ],
      tables,
      page: qualityTable(run),
      json: run,
    },
    options,
  );
});

function readOptions() {
  const { values, positionals } = readArguments(
    {
      allowPositionals: true,
      allowNegative: true,
      options: {
        sets: { type: 'string' },
        rankers: { type: 'string' },
        misspelt: { type: 'boolean', default: true },
        mixed: { type: 'boolean', default: true },
        json: { type: 'string' },
        markdown: { type: 'string' },
        against: { type: 'string' },
        'leave-one-out': { type: 'boolean', default: false },
        embedder: { type: 'string' },
        vectors: { type: 'string' },
        unanswerable: { type: 'string' },
      },
    },
    USAGE,
  );
  const [directory, ...rest] = positionals;
  if (directory === undefined || rest.length > 0)
    throw new InputError(`expected one folder\nusage: ${USAGE}`);
  return { directory, options: values };
}

function list(text: string | undefined): string[] | undefined {
  return text?.split(',').map((name) => name.trim());
}
