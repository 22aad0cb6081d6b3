import { readArguments, runCommand, showProgress } from './command.ts';
import { type FuzzReport, MEMORY_BYTES, runFuzz } from './fuzz/run-fuzz.ts';
import { InputError } from './input-error.ts';
import { figure, type Table, toPlainText } from './table.ts';

const USAGE = 'npm run fuzz [-- --seconds N --seed N]';

await runCommand(async () => {
  const plan = readOptions();
  const report = await runFuzz(plan, showProgress);
  process.stdout.write([outcomesTable(report), memoryTable(report)].map(toPlainText).join('\n'));
  const { faults, neighbours } = report;
  process.stdout.write(
    `\n${neighbours} well-behaved clients alongside; ${faults.length} faults (seed ${plan.seed}).\n`,
  );
  for (const fault of faults) process.stdout.write(`- ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
});

function readOptions(): { seconds: number; seed: number } {
  const { values } = readArguments(
    { options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } } },
    USAGE,
  );
  const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
  if (!(seconds > 0 && Number.isInteger(seed))) {
    throw new InputError(`--seconds and --seed are numbers\nusage: ${USAGE}`);
  }
  return { seconds, seed };
}

function outcomesTable({ outcomes }: FuzzReport): Table {
  const names = [...new Set([...outcomes.values()].flatMap((counts) => [...counts.keys()]))].sort();
  return {
    title: 'Hostile clients and clients of hostile upstreams, by how they were answered',
    header: ['shape', ...names],
    rows: [...outcomes].map(([shape, counts]) => [
      shape,
      ...names.map((name) => String(counts.get(name) ?? 0)),
    ]),
    labels: 1,
  };
}

function memoryTable({ peakBytes }: FuzzReport): Table {
  const mebibytes = (bytes: number | undefined) =>
    figure(bytes === undefined ? undefined : bytes / 2 ** 20, 0);
  return {
    title: 'Most memory held (MiB)',
    header: ['service', 'held', 'at most'],
    rows: Object.entries(peakBytes).map(([name, bytes]) => [name, mebibytes(bytes), mebibytes(MEMORY_BYTES)]),
    labels: 1,
  };
}
