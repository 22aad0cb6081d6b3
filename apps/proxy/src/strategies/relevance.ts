import { toDocument, tokenize, tokenizeQuery } from '@winnow/ranking';
import type { Plan, RequestView, ToolEntry } from '@winnow/wire';
import { bypass } from './bypass.ts';
import { deferrableNames, namesToDefer } from './never-defer.ts';
import type { PlanInput, Strategy } from './strategy.ts';

/** Keeps the tools that fit the last user message best; the model cannot search for the others. */
export const relevance: Strategy = { plan: planByRelevance, search: undefined };

/** What a tool gets for each sign that it will be needed. */
export const RELEVANCE_POINTS = {
  loaded: 1_000,
  alwaysKept: 100,
  recentlyUsed: 100,
  nameInQuery: 50,
  sharedToken: 10,
} as const;

/** The settings that say how many tools are kept. */
export interface KeepLimits {
  readonly minTools: number;
  readonly maxTools: number;
  readonly targetRatio: number;
}

/** How many of `total` tools to keep; `total` itself when none is to be deferred. */
export function keepCount(total: number, { minTools, maxTools, targetRatio }: KeepLimits): number {
  if (total <= minTools) return total;
  return Math.min(Math.max(Math.min(Math.trunc(total * targetRatio), maxTools), minTools), total);
}

/** What scores depend on beside the tool. */
export interface ScoreContext {
  readonly query: string;
  readonly queryTokens: ReadonlySet<string>;
  readonly loaded: ReadonlySet<string>;
  readonly alwaysKeep: ReadonlySet<string>;
  /** Names whose results are in the visible history. */
  readonly recentlyUsed: ReadonlySet<string>;
}

/** The points of one tool. */
export function scoreTool(tool: ToolEntry, context: ScoreContext): number {
  const { name = '' } = tool;
  let score = 0;
  if (context.loaded.has(name)) score += RELEVANCE_POINTS.loaded;
  if (context.alwaysKeep.has(name)) score += RELEVANCE_POINTS.alwaysKept;
  if (context.recentlyUsed.has(name)) score += RELEVANCE_POINTS.recentlyUsed;
  if (context.query.toLowerCase().includes(name.toLowerCase())) score += RELEVANCE_POINTS.nameInQuery;
  return score + RELEVANCE_POINTS.sharedToken * countShared(tool, context.queryTokens);
}

function planByRelevance({ view, settings, loaded }: PlanInput): Plan {
  const functions = view.tools.filter((tool) => tool.kind === 'function');
  const keep = keepCount(functions.length, {
    minTools: settings['pipes.tool_discovery.min_tools'],
    maxTools: settings['pipes.tool_discovery.max_tools'],
    targetRatio: settings['pipes.tool_discovery.target_ratio'],
  });
  if (keep >= functions.length) return bypass('few_tools');
  const alwaysKeep = settings['pipes.tool_discovery.always_keep'];
  const best = bestNames(functions, keep, toScoreContext(view, alwaysKeep, loaded));
  const isLoaded = new Set(loaded);
  const deferrable = deferrableNames(view, alwaysKeep);
  const defer = namesToDefer(view, { deferrable, loaded: [], loadMode: 'swap' }).filter(
    (name) => !best.has(name) && !isLoaded.has(name),
  );
  if (defer.length === 0) return bypass('few_tools');
  return { loadMode: 'swap', defer, load: [], searchTool: undefined, reason: 'deferred' };
}

function bestNames(
  tools: readonly ToolEntry[],
  keep: number,
  context: ScoreContext,
): ReadonlySet<string | undefined> {
  const scored = tools.map((tool) => ({ name: tool.name, score: scoreTool(tool, context) }));
  // Sorting is stable: equal scores keep the client's order.
  scored.sort((left, right) => right.score - left.score);
  return new Set(scored.slice(0, keep).map((tool) => tool.name));
}

/** What the scores for a request depend on. */
export function toScoreContext(
  view: RequestView,
  alwaysKeep: readonly string[],
  loaded: readonly string[],
): ScoreContext {
  return {
    query: view.query,
    queryTokens: new Set(tokenizeQuery(view.query)),
    loaded: new Set(loaded),
    alwaysKeep: new Set(alwaysKeep),
    recentlyUsed: new Set(view.resultNames),
  };
}

function countShared(tool: ToolEntry, queryTokens: ReadonlySet<string>): number {
  if (queryTokens.size === 0) return 0;
  const own = tokensOf(tool);
  let shared = 0;
  for (const token of queryTokens) if (own.has(token)) shared++;
  return shared;
}

/**
 * Tokens by the parsed tool: formats read a list of tools that comes again once, so its tools are the same objects, and cutting a few
 * hundred of them into tokens costs more than the rest of a plan.
 */
const knownTokens = new WeakMap<object, ReadonlySet<string>>();

function tokensOf(tool: ToolEntry): ReadonlySet<string> {
  const definition = tool.definition as object;
  const known = knownTokens.get(definition);
  if (known) return known;
  const tokens = new Set(tokenize(textOf(tool)));
  knownTokens.set(definition, tokens);
  return tokens;
}

/** Name, description and parameter names. */
function textOf({ name = '', description, definition }: ToolEntry): string {
  const document = toDocument({ name, description, definition: definition as Record<string, unknown> });
  return [name, description, ...document.parameters.map((parameter) => parameter.name)].join('\n');
}
