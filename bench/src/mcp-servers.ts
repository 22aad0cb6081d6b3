import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { describeMachine } from './machine.ts';
import { type Figure, type Mark, marksTable, resultsTable } from './marks.ts';
import {
  measureServers,
  type ServerRow,
  type ServersMeasurement,
  type ServersPlan,
} from './mcp-servers/measure-servers.ts';
import { figure, type Table } from './table.ts';

const USAGE = 'npm run bench:mcp-servers [-- --seconds N --rounds N --json FILE --markdown FILE]';

/** Length of a run, in seconds, from which memory has settled and must not grow. */
const LONG_RUN_SECONDS = 600;

await runCommand(async () => {
  const { plan, ...files } = readOptions();
  const measured = await measureServers(plan, showProgress);
  const marks = marksOf(measured, plan);
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  publish(
    {
      title: 'Registry with 50 MCP servers',
      date,
      machine,
      command: `bench:mcp-servers -- --seconds ${plan.seconds} --rounds ${plan.rounds}`,
      tables: [searchTable(measured), marksTable(marks)],
      page: resultsTable(figuresOf(measured), marks),
      json: { date, machine, plan, marks, ...measured },
    },
    files,
  );
  if (marks.some(({ isMet }) => !isMet)) process.exitCode = 1;
});

function readOptions(): { plan: ServersPlan; json?: string | undefined; markdown?: string | undefined } {
  const { values } = readArguments(
    {
      options: {
        seconds: { type: 'string', default: '30' },
        rounds: { type: 'string', default: '3' },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
  if (!(seconds > 0) || !Number.isInteger(rounds) || rounds < 1) throw new InputError(`usage: ${USAGE}`);
  return {
    plan: { seconds, rounds, servers: 50, tools: 2_000 },
    json: values.json,
    markdown: values.markdown,
  };
}

function searchTable({ calm, trouble }: ServersMeasurement): Table {
  const row = (name: string, { count, p50, p95, p99, max }: ServersMeasurement['calm']) => [
    name,
    String(count),
    ...[p50, p95, p99, max].map((ms) => figure(ms, 1)),
  ];
  return {
    title: 'Searches, in milliseconds',
    header: ['servers', 'searches', 'p50', 'p95', 'p99', 'longest'],
    rows: [row('all are well', calm), row('some misbehave', trouble)],
    labels: 1,
  };
}

function figuresOf({ calm, trouble }: ServersMeasurement): readonly Figure[] {
  return (
    [
      ['all servers are well', calm],
      ['some misbehave', trouble],
    ] as const
  ).map(([name, times]) => ({
    what: `searches while ${name}: count; p50, p99, longest`,
    measured: `${times.count}; ${[times.p50, times.p99, times.max].map((ms) => `${figure(ms, 1)} ms`).join(', ')}`,
  }));
}

function marksOf(
  { calm, trouble, failedSearches, memory, states, toolCount, left }: ServersMeasurement,
  plan: ServersPlan,
): readonly Mark[] {
  const growth = memory.late / memory.early;
  const isLong = 2 * plan.rounds * plan.seconds >= LONG_RUN_SECONDS;
  const wrong = states.filter((state) => !isAsExpected(state));
  return [
    mark(
      'p99 of searches while servers misbehave',
      'at most 1.5 times',
      trouble.p99 / calm.p99,
      (ratio) => ratio <= 1.5,
      ' times',
    ),
    mark('searches that failed', 'none', failedSearches, (count) => count === 0, '', 0),
    mark('tools that were lost', 'none', plan.tools + 3 - toolCount, (count) => count <= 0, '', 0),
    {
      what: 'states of servers',
      mark: 'all as they are',
      measured: wrong.length === 0 ? 'all' : wrong.map(({ name, state }) => `${name}: ${state}`).join(', '),
      isMet: wrong.length === 0,
    },
    mark(
      `memory at the end over that after the first round${isLong ? '' : ' (a short run)'}`,
      isLong ? 'at most 1.1 times' : 'told',
      growth,
      (ratio) => !isLong || ratio <= 1.1,
      ' times',
    ),
    mark('processes left when it has ended', 'none', left.ended, (count) => count === 0, '', 0),
    mark('processes left when it was killed', 'none', left.killed, (count) => count === 0, '', 0),
  ];
}

/** Returns the state of a server that works, or misbehaves, at the end of the trouble. */
function isAsExpected({ name, state, tools, stale_since: stale }: ServerRow): boolean {
  switch (name) {
    case 'team-00':
      return state === 'down' && stale !== undefined && tools === 40;
    case 'team-01':
    case 'team-02':
      // The state depends on the moment; the tools do not.
      return tools === 40;
    case 'process-hanging':
      return tools === 0 && state !== 'up';
    case 'process-flapping':
      return tools === 1;
    default:
      return state === 'up' && stale === undefined;
  }
}

function mark(
  what: string,
  wanted: string,
  value: number,
  isMet: (value: number) => boolean,
  unit: string,
  decimals = 2,
): Mark {
  return { what, mark: wanted, measured: `${value.toFixed(decimals)}${unit}`, isMet: isMet(value) };
}
