import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import type { Ratio } from './compare-windows.ts';
import { inProcessMarks } from './measure-in-process.ts';
import type { LoadedMemory } from './measure-memory-after-load.ts';
import { costsOf, type RowCost } from './measure-rows.ts';
import type { StartTimes } from './measure-starts.ts';
import type { ProxyMeasurements } from './run.ts';

/** Returns the requirements for the proxy's cost, for the parts that were measured. */
export function proxyMarks({ costs, memory, starts, inProcess }: ProxyMeasurements): Mark[] {
  return [
    ...costs.flatMap(costMarks),
    ...memoryMarks(memory),
    ...startMarks(starts),
    ...inProcessMarks(inProcess),
  ];
}

function costMarks({ row, windows }: RowCost): Mark[] {
  const baseline = costsOf(windows, 'baseline');
  return costsOf(windows, 'winnow').flatMap(({ connections, ratio, cpuUs, pipeUs }, at) => {
    const least = row.marks[connections];
    if (least === undefined) return [];
    const before = baseline[at]?.ratio;
    const measured = `${ratioText(ratio)}: ${figure(pipeUs, 0)} of ${figure(cpuUs, 0)} µs`;
    return {
      what: `CPU per request, pipe ÷ Winnow, ${row.title}, c = ${connections}`,
      mark: `at least ${least}`,
      measured: before ? `${measured}; baseline ${ratioText(before)}` : measured,
      isMet: ratio && ratio.median >= least,
    };
  });
}

function ratioText(ratio: Ratio | undefined): string {
  return ratio ? `${figure(ratio.median, 2)} (${figure(ratio.low, 2)}–${figure(ratio.high, 2)})` : '–';
}

const MOST_ABOVE_PIPE_MIB = 60;
const MIB = 2 ** 20;

function memoryMarks(memory: readonly LoadedMemory[]): Mark[] {
  const residents = new Map(
    memory.flatMap(({ name, resident }): [string, number][] =>
      resident === undefined ? [] : [[name, resident / MIB]],
    ),
  );
  const [pipe, winnow] = [residents.get('pipe'), residents.get('winnow')];
  if (pipe === undefined || winnow === undefined) return [];
  const what = 'resident memory after load, above the pipe’s';
  const mark = atMost(what, MOST_ABOVE_PIPE_MIB, winnow - pipe, 'MiB');
  return [{ ...mark, measured: `${mark.measured}${besideOthers(residents, 'MiB')}` }];
}

const MOST_START_MS = 350;

function startMarks(starts: readonly StartTimes[]): Mark[] {
  const medians = new Map(starts.map(({ name, times }) => [name, times.p50]));
  const winnow = medians.get('winnow');
  if (winnow === undefined) return [];
  const mark = atMost('start to the first good response, median', MOST_START_MS, winnow, 'ms');
  return [{ ...mark, measured: `${mark.measured}${besideOthers(medians, 'ms')}` }];
}

/** Returns the figures of the pipe and the baseline, in brackets. */
function besideOthers(figures: ReadonlyMap<string, number>, unit: string): string {
  const others = [...figures].filter(([name]) => name !== 'winnow');
  return ` (${others.map(([name, value]) => `${name} ${figure(value, 0)} ${unit}`).join(', ')})`;
}

function atMost(what: string, mark: number, measured: number, unit: string): Mark {
  return {
    what,
    mark: `at most ${mark} ${unit}`,
    measured: `${figure(measured, 0)} ${unit}`,
    isMet: measured <= mark,
  };
}
