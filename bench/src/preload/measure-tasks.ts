import { createPreload, leanSearch, localSearch, type Search } from '@winnow/proxy';
import { noPause } from '@winnow/ranking';
import { SILENT_SPAN } from '@winnow/service';
import { hashedOrder } from '../hashed-order.ts';
import type { Mark } from '../marks.ts';
import type { RetrievalSet, SetTool } from '../retrieval/read-sets.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { RULES } from './measure-preload.ts';
import { bytesOf, toChat, viewOf } from './request-of.ts';
import { type Task, tasksOf } from './tasks-of.ts';

/** Searches after which tasks are counted. */
const MOST_SEARCHES = 3;

/** Queries of one search, as the search tool's text says. */
const MOST_QUERIES = 4;

/** The ways to search: for one step after another, or for all that are left at once. */
const WAYS = { 'one need each': 1, 'all needs at once': MOST_QUERIES } as const;

/** Results of one way to search over the tasks of one set. */
interface WayMeasurement {
  readonly way: keyof typeof WAYS;
  /** By number of searches: share of the tasks with all their tools, 0..1. */
  readonly complete: readonly number[];
  /** Tokens (bytes ÷ 4) of the definitions loaded in a task. */
  readonly tokens: number;
  /** Tools loaded in a task. */
  readonly loaded: number;
  /** Tools that a search loads and that were not loaded yet; undefined if no task needs a search. */
  readonly added: number | undefined;
  /** Searches of a task until all its needs have been searched for. */
  readonly searches: number;
  /** Searches of a task if each is for as many of its needs as it may be. */
  readonly least: number;
  /** By number of searches: share of the tasks whose tools are loaded or named among the next matches, 0..1. */
  readonly named: readonly number[];
}

/** The tasks of one set. */
export interface TasksMeasurement {
  readonly set: string;
  readonly tools: number;
  readonly tasks: number;
  /** Mean number of tools that a task needs. */
  readonly needs: number;
  readonly ways: readonly WayMeasurement[];
}

/** Loads tools: at the start of a conversation, and by a search, which also names the next matches. */
interface Proxy {
  preload(message: string): Promise<readonly string[]>;
  search(
    queries: readonly string[],
  ): Promise<{ readonly names: readonly string[]; readonly next: readonly string[] }>;
}

/**
 * Measures whole tasks over a set's whole catalogue: tools are preloaded for the first message; then, for the steps
 * with a tool that is not loaded, the model searches in the words of the steps.
 */
export async function measureTasks(set: RetrievalSet): Promise<TasksMeasurement> {
  const tools = hashedOrder(set.tools);
  const tasks = tasksOf(set);
  const proxy = asTheProxy(tools);
  const measured: WayMeasurement[] = [];
  for (const [way, most] of Object.entries(WAYS)) {
    measured.push({
      way: way as WayMeasurement['way'],
      ...(await measureWay(tasks, tools, { proxy, most })),
    });
  }
  return {
    set: set.name,
    tools: tools.length,
    tasks: tasks.length,
    needs: mean(tasks.map(({ steps }) => new Set(steps.flatMap(({ tools }) => tools)).size)),
    ways: measured,
  };
}

async function measureWay(tasks: readonly Task[], tools: readonly SetTool[], how: How) {
  const tokens = new Map(tools.map((tool) => [tool.name, bytesOf(tool) / 4]));
  const runs: Run[] = [];
  for (const task of tasks) runs.push(await run(task, how));
  const shares = (of: (run: Run) => readonly boolean[]) =>
    Array.from({ length: MOST_SEARCHES + 1 }, (_, searches) =>
      mean(runs.map((one) => (of(one)[searches] ? 1 : 0))),
    );
  const added = runs.flatMap((one) => one.added);
  return {
    complete: shares(({ complete }) => complete),
    named: shares(({ named }) => named),
    tokens: mean(runs.map(({ loaded }) => loaded.reduce((sum, name) => sum + tokens.get(name)!, 0))),
    loaded: mean(runs.map(({ loaded }) => loaded.length)),
    added: added.length === 0 ? undefined : mean(added),
    searches: mean(runs.map((one) => one.added.length)),
    least: mean(runs.map((one) => one.least)),
  };
}

/** The proxy, and the most steps to search for at once. */
interface How {
  readonly proxy: Proxy;
  readonly most: number;
}

/** One task, by number of searches: whether all its tools are loaded, and whether they are loaded or named. */
interface Run {
  readonly complete: readonly boolean[];
  readonly named: readonly boolean[];
  readonly loaded: readonly string[];
  /** Tools that each search added. */
  readonly added: readonly number[];
  readonly least: number;
}

async function run({ first, steps }: Task, { proxy, most }: How): Promise<Run> {
  const loaded = new Set(await proxy.preload(first));
  const seen = new Set(loaded);
  const holds = (names: ReadonlySet<string>) =>
    steps.every(({ tools }) => tools.every((name) => names.has(name)));
  const complete = [holds(loaded)];
  const named = [holds(seen)];
  const added: number[] = [];
  let left = steps.filter(({ tools }) => !tools.every((name) => loaded.has(name)));
  const least = Math.ceil(left.length / MOST_QUERIES);
  for (;;) {
    left = left.filter(({ tools }) => !tools.every((name) => loaded.has(name)));
    if (left.length === 0) break;
    const asked = left.slice(0, most);
    left = left.slice(asked.length);
    const before = loaded.size;
    const { names, next } = await proxy.search([...new Set(asked.map(({ text }) => text))]);
    for (const name of names) loaded.add(name);
    for (const name of [...names, ...next]) seen.add(name);
    added.push(loaded.size - before);
    complete.push(holds(loaded));
    named.push(holds(seen));
  }
  const filled = (values: readonly boolean[]) =>
    Array.from({ length: MOST_SEARCHES + 1 }, (_, searches) => values[searches] ?? values.at(-1)!);
  return { complete: filled(complete), named: filled(named), loaded: [...loaded], added, least };
}

/** The proxy with its default settings. */
function asTheProxy(tools: readonly SetTool[]): Proxy {
  const pause = noPause;
  const preload = createPreload({ ...RULES, limit: 6 });
  const search: Search = leanSearch(localSearch({ pause }));
  const searchable = {
    id: 'tasks',
    tools: tools.map((tool) => {
      const { name, description } = tool;
      return { name, description, definition: { ...toChat(tool) } };
    }),
    sizes: new Map(tools.map((tool) => [tool.name, JSON.stringify(toChat(tool)).length])),
  };
  return {
    preload: (message) => preload(viewOf(message, tools)).then(({ names }) => names),
    async search(queries) {
      const signal = new AbortController().signal;
      const asked = { queries, searchable, limit: 8, requestId: 'bench', span: SILENT_SPAN, signal };
      const outcome = await search({ ...asked, searchType: 'keyword' });
      if (!outcome.ok || outcome.isWeak || outcome.isNoMatch) return { names: [], next: [] };
      return { names: outcome.names, next: outcome.next ?? [] };
    },
  };
}

/** Returns a table with both ways for each set. */
export function tasksTable(measured: readonly TasksMeasurement[]): Table {
  const counts = Array.from({ length: MOST_SEARCHES + 1 }, (_, count) => count);
  return {
    title: 'Whole tasks: share with all their tools, by number of searches',
    labels: 1,
    header: [
      ...['set', 'tasks', 'tools', 'needs', 'searches are for'],
      ...counts.map((count) => `${count} searches, %`),
      ...['named after 1, %', 'searches', 'tools loaded', 'by a search', 'tokens'],
    ],
    rows: measured.flatMap(({ set, tasks, tools, needs, ways }) =>
      ways.map(({ way, complete, named, searches, loaded, added, tokens }) => [
        ...[set, String(tasks), String(tools), figure(needs, 2), way],
        ...complete.map((share) => figure(share * 100, 1)),
        ...[figure(named[1]! * 100, 1), figure(searches, 2), figure(loaded, 1)],
        ...[added === undefined ? '–' : figure(added, 1), figure(tokens, 0)],
      ]),
    ),
  };
}

/** Sets of tasks with several needs, whose steps are the queries. */
const SEVERAL_NEEDS = ['bfcl-mt', 'nestful'];
const MOST_TOKENS = 1.1;
const MOST_SEARCHES_SHARE = 0.5;

/** Returns the requirements: one search for all needs does what two for one need each do, for few more tokens. */
export function taskMarks(measured: readonly TasksMeasurement[]): Mark[] {
  return measured.flatMap(({ set, ways: [each, all] }) => {
    const tokens = all!.tokens / each!.tokens;
    const searches = all!.searches / each!.searches;
    const least = all!.least / each!.searches;
    const percent = (share: number) => `${figure(share * 100, 1)} %`;
    const ofSeveral = [
      {
        what: `${set}: tasks with all tools after one search for all needs`,
        mark: `at least ${percent(each!.complete[2]!)}, as after two for one each`,
        measured: percent(all!.complete[1]!),
        isMet: all!.complete[1]! >= each!.complete[2]!,
      },
      {
        what: `${set}: searches of a task for all needs, over those for one each`,
        mark: `at most ${MOST_SEARCHES_SHARE}, or the least possible`,
        measured: `${figure(searches, 2)}; least possible ${figure(least, 2)}`,
        isMet: searches <= Math.max(MOST_SEARCHES_SHARE, least),
      },
    ];
    return [
      ...(SEVERAL_NEEDS.includes(set) ? ofSeveral : []),
      {
        what: `${set}: tokens of definitions loaded in a task, over those of one need each`,
        mark: `at most ${MOST_TOKENS}`,
        measured: figure(tokens, 2),
        isMet: tokens <= MOST_TOKENS,
      },
    ];
  });
}
