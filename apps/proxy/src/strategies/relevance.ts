import { type Pause, toDocument, tokenize, tokenizeTelling } from '@winnow/ranking';
import type { Plan, RequestView, ToolEntry } from '@winnow/wire';
import { matcherOf } from '../config/name-pattern.ts';
import { bypass } from './bypass.ts';
import { endsOfMessage } from './ends-of-message.ts';
import { deferrableTools, type KeepRules, namesToDefer } from './never-defer.ts';
import { type SavingRules, savesLittle } from './saving-rules.ts';
import type { PlanInput, Strategy } from './strategy.ts';

/** Keeps the tools that best match the last user message; the model cannot search for the others. */
export const relevance: Strategy<RelevanceOptions> = { plan: planByRelevance, search: undefined };

/** Points of a tool for each sign that it will be needed. */
const RELEVANCE_POINTS = {
  loaded: 1_000,
  alwaysKept: 100,
  recentlyUsed: 100,
  nameInQuery: 50,
  sharedToken: 10,
} as const;

/** The settings for the number of tools to keep. */
export interface KeepLimits {
  readonly minTools: number;
  readonly maxTools: number;
  readonly targetRatio: number;
}

/** Returns how many of `total` tools to keep; `total` if none is deferred. */
export function keepCount(total: number, { minTools, maxTools, targetRatio }: KeepLimits): number {
  if (total <= minTools) return total;
  return Math.min(Math.max(Math.min(Math.trunc(total * targetRatio), maxTools), minTools), total);
}

/** Settings of the strategy. */
export interface RelevanceOptions extends KeepLimits, KeepRules, SavingRules {}

/** The input of a score besides the tool. */
export interface ScoreContext {
  /** In lower case. */
  readonly query: string;
  readonly queryTokens: ReadonlySet<string>;
  readonly loaded: ReadonlySet<string>;
  readonly isAlwaysKept: (name: string) => boolean;
  /** Names with results in the visible history. */
  readonly recentlyUsed: ReadonlySet<string>;
}

/** Returns the points of one tool. */
export function scoreTool(tool: ToolEntry, context: ScoreContext): number {
  const { name = '' } = tool;
  let score = matchPoints(tool, context);
  if (context.loaded.has(name)) score += RELEVANCE_POINTS.loaded;
  if (context.isAlwaysKept(name)) score += RELEVANCE_POINTS.alwaysKept;
  return score;
}

/** Returns the points of a tool for its mentions in the conversation. */
function matchPoints(tool: ToolEntry, context: ScoreContext): number {
  const { name = '' } = tool;
  let score = 0;
  if (context.recentlyUsed.has(name)) score += RELEVANCE_POINTS.recentlyUsed;
  if (context.query.includes(name.toLowerCase())) score += RELEVANCE_POINTS.nameInQuery;
  return score + RELEVANCE_POINTS.sharedToken * countShared(tool, context.queryTokens);
}

function planByRelevance({ view, loaded }: PlanInput, options: RelevanceOptions): Plan {
  const functions = view.tools.filter((tool) => tool.kind === 'function');
  const keep = keepCount(functions.length, options);
  if (keep >= functions.length) return bypass('few_tools');
  const deferrable = deferrableTools(view, options);
  if (savesLittle(deferrable.bytes, options)) return bypass('few_tokens');
  const isLoaded = new Set(loaded);
  const candidates = new Set(
    namesToDefer(view, { deferrable: deferrable.names, loaded: [], loadMode: 'swap' }).filter(
      (name) => !isLoaded.has(name) && !view.calledNames.has(name),
    ),
  );
  const best = bestNames(functions, { keep, candidates }, toScoreContext(view, options.alwaysKeep, loaded));
  const defer = deferrable.names.filter((name) => candidates.has(name) && !best.has(name));
  if (defer.length === 0) return bypass('few_tools');
  return { loadMode: 'swap', defer, load: [], searchTool: undefined, reason: 'deferred' };
}

/** The number of tools to keep, and those that may go. */
interface Places {
  readonly keep: number;
  readonly candidates: ReadonlySet<string>;
}

/**
 * Returns the candidates to keep. Tools that stay anyway and have points take places, too, but none from a
 * candidate that matches: as many of those stay as there are places.
 */
function bestNames(
  tools: readonly ToolEntry[],
  { keep, candidates }: Places,
  context: ScoreContext,
): ReadonlySet<string | undefined> {
  const scored = tools.flatMap((tool) =>
    candidates.has(tool.name!) ? { name: tool.name, score: matchPoints(tool, context) } : [],
  );
  // Sorting is stable: ties keep the client's order.
  scored.sort((left, right) => right.score - left.score);
  const staying = tools.filter((tool) => !candidates.has(tool.name!) && scoreTool(tool, context) > 0);
  const free = Math.max(keep - staying.length, 0);
  return new Set(
    scored.filter(({ score }, rank) => rank < free || (rank < keep && score > 0)).map(({ name }) => name),
  );
}

/** Returns the input of the scores for a request. */
export function toScoreContext(
  view: RequestView,
  alwaysKeep: readonly string[],
  loaded: readonly string[],
): ScoreContext {
  const query = endsOfMessage(view.query);
  return {
    query: query.toLowerCase(),
    queryTokens: new Set(tokenizeTelling(query)),
    loaded: new Set(loaded),
    isAlwaysKept: matcherOf(alwaysKeep),
    recentlyUsed: new Set(view.resultNames),
  };
}

function countShared(tool: ToolEntry, queryTokens: ReadonlySet<string>): number {
  if (queryTokens.size === 0) return 0;
  let shared = 0;
  for (const token of tokensOf(tool)) if (queryTokens.has(token)) shared++;
  return shared;
}

/**
 * Tokens by parsed tool. A repeated list of tools is parsed only once, so its tools are the same objects, and
 * tokenising a few hundred of them costs more than the rest of a plan.
 */
const knownTokens = new WeakMap<object, ReadonlySet<string>>();

/** Number of tools to tokenise between two pauses: a few milliseconds. */
const SLICE = 64;

/** Tokenises tools in slices before a plan: a thousand new ones at once would delay all other requests. */
export async function learnTokens(tools: readonly ToolEntry[], pause: Pause): Promise<void> {
  const unknown = tools.filter(
    ({ kind, definition }) => kind === 'function' && !knownTokens.has(definition as object),
  );
  for (const [place, tool] of unknown.entries()) {
    if (place > 0 && place % SLICE === 0) await pause();
    tokensOf(tool);
  }
}

function tokensOf(tool: ToolEntry): ReadonlySet<string> {
  const definition = tool.definition as object;
  const known = knownTokens.get(definition);
  if (known) return known;
  const tokens = new Set(tokenize(textOf(tool)));
  knownTokens.set(definition, tokens);
  return tokens;
}

/** Returns name, description and parameter names. */
function textOf({ name = '', description, definition }: ToolEntry): string {
  const document = toDocument({ name, description, definition: definition as Record<string, unknown> });
  return [name, description, ...document.parameters.map((parameter) => parameter.name)].join('\n');
}
