import { fileURLToPath } from 'node:url';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { describeMachine } from './machine.ts';
import { marksLine, marksTable } from './marks.ts';
import { allCells, MODES, type MoneyCell, usualCells } from './money/cell.ts';
import { type CellMeasurement, MoneyBench } from './money/measure-money.ts';
import { readRecordings } from './money/read-recordings.ts';
import { moneyMarks, moneyTable, partsTable } from './money/tables.ts';
import { selectColumns } from './table.ts';

const USAGE =
  'npm run bench:money -- DIR [--sets a,b] [--modes a,b] [--conversations N] [--full] [--json FILE] [--markdown FILE]';
/** The mode that the page shows in every cell; the others are shown warm, at a tenth. */
const PAGE_MODE = 'Messages, native';
const isUsual = ({ isWarm, cachedInput, system }: MoneyCell) =>
  isWarm && cachedInput === 0.1 && system === 15_000;

const PAGE_COLUMNS = [
  ...['recordings', 'mode', 'cache', 'cached input', 'system prompt', 'tools'],
  ...['always defer', 'auto'],
];
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

await runCommand(async () => {
  const { values, positionals } = readArguments(
    {
      allowPositionals: true,
      options: {
        sets: { type: 'string' },
        modes: { type: 'string' },
        conversations: { type: 'string', default: '50' },
        full: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  const [directory, ...others] = positionals;
  if (directory === undefined || others.length > 0) throw new InputError(`usage: ${USAGE}`);
  const recordings = readRecordings(directory, ROOT, values.sets?.split(','));
  if (recordings.length === 0) {
    showProgress(
      `No recorded conversations in ${directory}: npm run fetch:sets -- ${directory} brings them.`,
    );
    return;
  }
  const modes = modesNamed(values.modes);
  const cells = values.full ? allCells(modes) : usualCells(modes);
  const measured: CellMeasurement[] = [];
  for (const one of recordings) {
    const bench = new MoneyBench(one, Number(values.conversations));
    for (const [at, cell] of cells.entries()) {
      showProgress(`${one.name}, ${at + 1} of ${cells.length}: ${cell.mode.name}, ${cell.tools} tools`);
      if (cell.tools < one.tools.length)
        showProgress(`left out: ${one.name} calls ${one.tools.length} tools`);
      else measured.push(await bench.measure(cell));
    }
  }
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const marks = moneyMarks(measured);
  const bills = moneyTable(measured);
  const shown = measured.filter(({ cell }) => isUsual(cell) || cell.mode.name === PAGE_MODE);
  const page = selectColumns(moneyTable(shown), PAGE_COLUMNS);
  const notes = [marksLine(marks)];
  const tables = [bills, partsTable(measured), marksTable(marks)];
  const json = { date, machine, measured };
  publish(
    { title: 'Money bench', date, machine, command: 'bench:money -- DIR', notes, tables, page, json },
    values,
  );
});

function modesNamed(names: string | undefined) {
  if (names === undefined) return MODES;
  const wanted = names.split(',').map((name) => name.trim().toLowerCase());
  const idOf = (name: string) => name.toLowerCase().replace(', ', '-');
  const unknown = wanted.find((name) => !MODES.some((mode) => idOf(mode.name) === name));
  if (unknown === undefined) return MODES.filter(({ name }) => wanted.includes(idOf(name)));
  throw new InputError(`no mode "${unknown}"; there are: ${MODES.map(({ name }) => idOf(name)).join(', ')}`);
}
