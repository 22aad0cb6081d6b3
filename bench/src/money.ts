import type { Usage } from '@winnow/testkit';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { InputError } from './input-error.ts';
import { describeMachine } from './machine.ts';
import { type Mark, marksTable } from './marks.ts';
import { AGENTS } from './money/agents.ts';
import { type Arm, CACHES, type MoneyCell, type PlayedConversation, play, REQUESTS } from './money/replay.ts';
import { figure, type Table } from './table.ts';

const USAGE =
  'npm run bench:money [-- --agents a,b] [--caches a,b] [--searches .5,1,2,3,11] [--conversations N] [--json FILE] [--markdown FILE]';

/** Conversations at the start of an agent, which are counted apart. */
const FIRST = 3;

/** The result of a cell: bills as shares of the direct one. */
interface Measured {
  readonly cell: MoneyCell;
  readonly defer: number;
  /** The bill that the proxy expected in the last conversation of an agent that always defers. */
  readonly expected: number | undefined;
  readonly auto: number;
  readonly autoFirst: number;
  /** The first conversation, from 1, that deferred and the number of those that did. */
  readonly deferredFrom: number | undefined;
  readonly deferred: number;
  /** Changes of mind. */
  readonly changes: number;
  /** Tokens of context of a request: directly, always deferring, and as the proxy decides. */
  readonly context: readonly number[];
  /** The bill of a deferring agent whose model searches for all its needs at once. */
  readonly atOnce: number;
  /** Rounds of searches in a deferring conversation: for all needs at once, and for one each. */
  readonly rounds: readonly [all: number, each: number];
}

await runCommand(async () => {
  const { values } = readArguments(
    {
      options: {
        agents: { type: 'string' },
        caches: { type: 'string' },
        searches: { type: 'string', default: '.5,1,2,3,11' },
        conversations: { type: 'string', default: '20' },
        json: { type: 'string' },
        markdown: { type: 'string' },
      },
    },
    USAGE,
  );
  const agents = chosen('agent', AGENTS, ({ name }) => name, values.agents);
  const caches = chosen('cache', CACHES, (name) => name, values.caches);
  const searches = values.searches.split(',').map(Number);
  const cells = caches.flatMap((cache) =>
    agents.flatMap((agent) => searches.map((one): MoneyCell => ({ agent, cache, searches: one }))),
  );
  const measured: Measured[] = [];
  for (const [at, cell] of cells.entries()) {
    showProgress(
      `${at + 1} of ${cells.length}: ${cell.agent.name}, ${cell.cache}, ${cell.searches} searches`,
    );
    measured.push(await measure(cell, Number(values.conversations)));
  }
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const page = pageTable(measured);
  publish(
    {
      ...{ title: 'Money bench', date, machine, page, command: 'bench:money' },
      tables: [cellsTable(measured), marksTable(marksOf(measured))],
      notes: [
        `Marks: ${marksOf(measured)
          .map(({ what, measured: value }) => `${what} ${value}`)
          .join('; ')}.`,
      ],
      json: {
        date,
        machine,
        measured: measured.map(({ cell: { agent, ...cell }, ...rest }) => ({
          agent: agent.name,
          ...cell,
          ...rest,
        })),
      },
    },
    values,
  );
});

function chosen<Value>(
  what: string,
  all: readonly Value[],
  nameOf: (value: Value) => string,
  names: string | undefined,
): readonly Value[] {
  if (names === undefined) return all;
  return names.split(',').map((name) => {
    const found = all.find((value) => nameOf(value).toLowerCase() === name.trim().toLowerCase());
    if (found === undefined)
      throw new InputError(`no ${what} "${name}"; there are: ${all.map(nameOf).join(', ')}`);
    return found;
  });
}

async function measure(cell: MoneyCell, conversations: number): Promise<Measured> {
  const arms: Partial<Record<Arm, PlayedConversation[]>> = {};
  for (const arm of ['pass', 'defer', 'at once', 'auto'] as const)
    arms[arm] = await play(cell, arm, conversations);
  const { pass = [], defer = [], auto = [], 'at once': atOnce = [] } = arms;
  const bill = (all: readonly PlayedConversation[]) =>
    all.reduce((sum, { usages }) => sum + usages.reduce((part, usage) => part + priceOf(usage, cell), 0), 0);
  const share = (all: PlayedConversation[], from: number, to?: number) =>
    bill(all.slice(from, to)) / bill(pass.slice(from, to));
  const from = auto.findIndex(({ isDeferred }) => isDeferred);
  return {
    cell,
    defer: share(defer, FIRST),
    expected: defer.at(-1)?.expected,
    auto: share(auto, FIRST),
    autoFirst: share(auto, 0, FIRST),
    deferredFrom: from < 0 ? undefined : from + 1,
    deferred: auto.filter(({ isDeferred }) => isDeferred).length,
    changes: auto.filter(({ isDeferred }, at) => at > 0 && isDeferred !== auto[at - 1]!.isDeferred).length,
    context: [pass, defer, auto].map((all) => contextOf(all.slice(FIRST))),
    atOnce: share(atOnce, FIRST),
    rounds: [roundsOf(atOnce), roundsOf(defer)],
  };
}

/** Returns the price of a request, in tokens of plain input, by the ratios of the agent's vendor. */
function priceOf(usage: Usage, { agent, cache }: MoneyCell): number {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens } = usage;
  const [read, write] = cache === 'none' ? [1, 1] : [0.1, 1.25];
  const output = agent.client === 'messages' ? 5 : 6;
  return inputTokens + read * cacheReadTokens + write * cacheWriteTokens + output * outputTokens;
}

/** Returns the requests of a conversation besides its client's own. */
function roundsOf(all: readonly PlayedConversation[]): number {
  return all.reduce((sum, { usages }) => sum + usages.length - REQUESTS, 0) / all.length;
}

function contextOf(all: readonly PlayedConversation[]): number {
  const usages = all.flatMap((one) => one.usages);
  const tokens = usages.reduce(
    (sum, { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }) =>
      sum + inputTokens + cacheReadTokens + cacheWriteTokens,
    0,
  );
  return Math.round(tokens / usages.length);
}

function cellsTable(measured: readonly Measured[]): Table {
  return {
    title: 'The bill as a share of the direct one, and tokens of context in a request',
    header: [
      ...['agent', 'cache', 'searches', 'always defer', 'expected', 'auto', `auto, first ${FIRST}`, 'regret'],
      ...['deferred from', 'conversations deferred', 'context: direct', 'deferring', 'auto '],
      ...['rounds', 'all at once: bill', 'rounds '],
    ],
    rows: measured.map((one) => [
      one.cell.agent.name,
      one.cell.cache,
      figure(one.cell.searches, 1),
      ...[one.defer, one.expected ?? Number.NaN, one.auto, one.autoFirst, regretOf(one)].map((value) =>
        figure(value, 2),
      ),
      String(one.deferredFrom ?? 'never'),
      String(one.deferred),
      ...one.context.map((tokens) => tokens.toLocaleString('en-US')),
      ...[one.rounds[1], one.atOnce, one.rounds[0]].map((value) => figure(value, 2)),
    ]),
    labels: 2,
  };
}

/** One row for each agent and cache, for the published page; each column of bills is a number of searches. */
function pageTable(measured: readonly Measured[]): Table {
  const searches = [...new Set(measured.map(({ cell }) => cell.searches))];
  const rows = Object.values(Object.groupBy(measured, ({ cell }) => `${cell.agent.name} ${cell.cache}`));
  const tokens = (value: number) => value.toLocaleString('en-US');
  return {
    title:
      'Bills as shares of the direct one by searches in a conversation, and tokens of context in a request',
    header: [
      ...['agent', 'cache'],
      ...['always', 'at once', 'auto'].flatMap((arm) => searches.map((one) => `${arm}, ${one}`)),
      ...['context: direct', `deferring, ${searches[0]}`],
    ],
    rows: rows.map((row = []) => [
      ...[row[0]!.cell.agent.name, row[0]!.cell.cache],
      ...(['defer', 'atOnce', 'auto'] as const).flatMap((arm) => row.map((one) => figure(one[arm], 2))),
      ...[tokens(row[0]!.context[0]!), tokens(row[0]!.context[1]!)],
    ]),
    labels: 2,
  };
}

function regretOf({ auto, defer }: Measured): number {
  return auto - Math.min(1, defer);
}

function marksOf(measured: readonly Measured[]): Mark[] {
  const isWarm = ({ cell }: Measured) => cell.cache === 'warm';
  const isColder = ({ cell }: Measured) => cell.cache === 'cold' || cell.cache === 'busy and cold';
  const few = measured.filter((one) => isWarm(one) && one.cell.searches <= 1 && one.defer <= 1);
  const soon = few.filter(({ deferredFrom = 99 }) => deferredFrom <= 2);
  return [
    mark(
      'few searches, deferring costs at most 1.00, deferred from the first or second conversation on',
      soon.length,
      few.length,
      true,
    ),
    most('largest bill, warm, after three conversations', 1.06, measured.filter(isWarm), ({ auto }) => auto),
    most(
      'largest bill in the first three conversations, up to three searches in each',
      1.15,
      measured.filter(({ cell }) => cell.searches <= 3),
      ({ autoFirst }) => autoFirst,
    ),
    roundsMark(measured.filter(({ cell }) => cell.searches > 1)),
    mean('mean regret, warm', 0.02, measured.filter(isWarm)),
    mean('mean regret, cold', 0.03, measured.filter(isColder)),
  ];
}

function roundsMark(several: readonly Measured[]): Mark {
  const [all, each] = [0, 1].map((at) => several.reduce((sum, { rounds }) => sum + rounds[at]!, 0)) as [
    number,
    number,
  ];
  return {
    what: 'rounds of searches for all needs at once, over one need each, of more than one search',
    mark: 'at most 0.5',
    measured: figure(all / each, 2),
    isMet: each === 0 ? undefined : all / each <= 0.5,
  };
}

function mark(what: string, value: number, all: number, isAtLeast: boolean): Mark {
  return {
    what,
    mark: `${all} of ${all}`,
    measured: `${value} of ${all}`,
    isMet: isAtLeast && value === all,
  };
}

function most(what: string, limit: number, of: readonly Measured[], billOf: (one: Measured) => number): Mark {
  const [worst] = of.toSorted((one, other) => billOf(other) - billOf(one));
  if (worst === undefined)
    return { what, mark: `at most ${limit}`, measured: 'not measured', isMet: undefined };
  const { agent, cache, searches } = worst.cell;
  return {
    what,
    mark: `at most ${limit}`,
    measured: `${figure(billOf(worst), 2)} (${agent.name}, ${cache}, ${searches})`,
    isMet: Math.round(100 * billOf(worst)) <= Math.round(100 * limit),
  };
}

function mean(what: string, limit: number, of: readonly Measured[]): Mark {
  const value = of.reduce((sum, one) => sum + Math.max(0, regretOf(one)), 0) / of.length;
  return {
    what,
    mark: `at most ${limit}`,
    measured: figure(value, 3),
    isMet: of.length > 0 ? value <= limit : undefined,
  };
}
