import { createPreload, leanSearch, localSearch, type Search } from '@winnow/proxy';
import { buildCatalogueOf, noPause, selectTools } from '@winnow/ranking';
import { SILENT_SPAN } from '@winnow/service';
import { hashedOrder } from '../hashed-order.ts';
import type { Mark } from '../marks.ts';
import { documentOf } from '../retrieval/measure-set.ts';
import type { RetrievalSet, SetTool } from '../retrieval/read-sets.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { RULES } from './measure-preload.ts';
import { bytesOf, toChat, viewOf } from './request-of.ts';
import { type Task, tasksOf } from './tasks-of.ts';

/** Searches after which tasks are counted. */
const MOST_SEARCHES = 3;

/** Results of one way to choose tools over the tasks of one set. */
interface WayMeasurement {
  readonly way: 'best five' | 'worth loading';
  /** By number of searches: share of the tasks with all their tools, 0..1. */
  readonly complete: readonly number[];
  /** Tokens (bytes ÷ 4) of the definitions loaded in a task. */
  readonly tokens: number;
  /** Tools loaded in a task. */
  readonly loaded: number;
  /** Tools that a search loads and that were not loaded yet; undefined if no task needs a search. */
  readonly added: number | undefined;
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

/** Loads tools: at the start of a conversation, and by a search. */
interface Way {
  preload(message: string): Promise<readonly string[]>;
  search(query: string): Promise<readonly string[]>;
}

/**
 * Measures whole tasks over a set's whole catalogue: tools are preloaded for the first message; then, for each
 * step with a tool that is not loaded, the model searches once, in the words of the step.
 */
export async function measureTasks(set: RetrievalSet): Promise<TasksMeasurement> {
  const tools = hashedOrder(set.tools);
  const tasks = tasksOf(set);
  const ways: Readonly<Record<WayMeasurement['way'], Way>> = {
    'best five': bestFive(tools),
    'worth loading': asTheProxy(tools),
  };
  const measured: WayMeasurement[] = [];
  for (const [way, how] of Object.entries(ways)) {
    measured.push({ way: way as WayMeasurement['way'], ...(await measureWay(tasks, tools, how)) });
  }
  return {
    set: set.name,
    tools: tools.length,
    tasks: tasks.length,
    needs: mean(tasks.map(({ steps }) => new Set(steps.flatMap(({ tools }) => tools)).size)),
    ways: measured,
  };
}

async function measureWay(tasks: readonly Task[], tools: readonly SetTool[], way: Way) {
  const tokens = new Map(tools.map((tool) => [tool.name, bytesOf(tool) / 4]));
  const runs: { complete: readonly boolean[]; tokens: number; loaded: number; added: readonly number[] }[] =
    [];
  for (const task of tasks) {
    const { complete, loaded, added } = await run(task, way);
    const sum = loaded.reduce((total, name) => total + tokens.get(name)!, 0);
    runs.push({ complete, tokens: sum, loaded: loaded.length, added });
  }
  const added = runs.flatMap((one) => one.added);
  return {
    complete: Array.from({ length: MOST_SEARCHES + 1 }, (_, searches) =>
      mean(runs.map(({ complete }) => (complete[searches] ? 1 : 0))),
    ),
    tokens: mean(runs.map((one) => one.tokens)),
    loaded: mean(runs.map((one) => one.loaded)),
    added: added.length === 0 ? undefined : mean(added),
  };
}

/** Runs one task; `complete` says after how many searches it has all its tools, `added` how many each of them added. */
async function run({ first, steps }: Task, { preload, search }: Way) {
  const loaded = new Set(await preload(first));
  const has = ({ tools }: Task['steps'][number]) => tools.every((name) => loaded.has(name));
  const complete = [steps.every(has)];
  const added: number[] = [];
  for (const step of steps) {
    if (complete.length > MOST_SEARCHES) break;
    if (has(step)) continue;
    const before = loaded.size;
    for (const name of await search(step.text)) loaded.add(name);
    added.push(loaded.size - before);
    complete.push(steps.every(has));
  }
  while (complete.length <= MOST_SEARCHES) complete.push(complete.at(-1)!);
  return { complete, loaded: [...loaded], added };
}

/** The five best matches, whatever their scores and sizes. */
function bestFive(tools: readonly SetTool[]): Way {
  const catalogue = buildCatalogueOf(tools.map(documentOf));
  const find = async (pattern: string) => {
    const query = { pattern, topK: 5, alwaysKeep: [], searchType: 'keyword' } as const;
    const { names, certainty } = await selectTools(catalogue, query, noPause);
    return certainty === 'found' ? names : [];
  };
  return { preload: find, search: find };
}

/** The proxy with its default settings. */
function asTheProxy(tools: readonly SetTool[]): Way {
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
    preload: (message) => preload.byWords(viewOf(message, tools)),
    async search(query) {
      const signal = new AbortController().signal;
      const asked = { queries: [query], searchable, limit: 8, requestId: 'bench', span: SILENT_SPAN, signal };
      const outcome = await search({ ...asked, searchType: 'keyword' });
      return outcome.ok && !outcome.isWeak && !outcome.isNoMatch ? outcome.names : [];
    },
  };
}

/** Returns a table with both ways for each set. */
export function tasksTable(measured: readonly TasksMeasurement[]): Table {
  const searches = Array.from({ length: MOST_SEARCHES + 1 }, (_, count) => `${count} searches, %`);
  return {
    title: 'Whole tasks: share with all their tools, by number of searches',
    labels: 1,
    header: [
      'set',
      'tasks',
      'tools',
      'needs',
      'loaded are',
      ...searches,
      'tools loaded',
      'by a search',
      'tokens',
    ],
    rows: measured.flatMap(({ set, tasks, tools, needs, ways }) =>
      ways.map(({ way, complete, loaded, added, tokens }) => [
        ...[set, String(tasks), String(tools), figure(needs, 2), way],
        ...complete.map((share) => figure(share * 100, 1)),
        ...[figure(loaded, 1), added === undefined ? '–' : figure(added, 1), figure(tokens, 0)],
      ]),
    ),
  };
}

/** Sets that must gain, and by how many points after two searches. */
const GAINING = ['bfcl-mt', 'nestful'];
const LEAST_GAIN = 3;
const MOST_TOKENS = 1.1;

/** Returns the requirements: more tasks complete than with the best five, for few more tokens. */
export function taskMarks(measured: readonly TasksMeasurement[]): Mark[] {
  return measured.flatMap(({ set, ways: [five, worth] }) => {
    const gain = (worth!.complete[2]! - five!.complete[2]!) * 100;
    const tokens = worth!.tokens / five!.tokens;
    const least = GAINING.includes(set) ? LEAST_GAIN : 0;
    return [
      {
        what: `${set}: tasks with all tools after two searches, over the best five`,
        mark: `at least ${least} points more`,
        measured: figure(gain, 1),
        isMet: gain >= least,
      },
      {
        what: `${set}: tokens of definitions loaded in a task, over the best five`,
        mark: `at most ${MOST_TOKENS}`,
        measured: figure(tokens, 2),
        isMet: tokens <= MOST_TOKENS,
      },
    ];
  });
}
