import { type Pause, toDocument, tokenize, tokenizeTelling } from '@winnow/ranking';
import type { Plan, RequestView, ToolEntry } from '@winnow/wire';
import { bypass } from './bypass.ts';
import { endsOfMessage } from './ends-of-message.ts';
import { matcherOf } from './name-pattern.ts';
import { deferrableTools, type KeepRules, namesToDefer } from './never-defer.ts';
import { type SavingRules, savesLittle } from './saving-rules.ts';
import type { PlanInput, Strategy } from './strategy.ts';

/** Keeps the tools that fit the last user message best; the model cannot search for the others. */
export const relevance: Strategy<RelevanceOptions> = { plan: planByRelevance, search: undefined };

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

/** What the strategy takes of the settings. */
export interface RelevanceOptions extends KeepLimits, KeepRules, SavingRules {}

/** What scores depend on, apart from the tool. */
export interface ScoreContext {
  /** In lower case. */
  readonly query: string;
  readonly queryTokens: ReadonlySet<string>;
  readonly loaded: ReadonlySet<string>;
  readonly isAlwaysKept: (name: string) => boolean;
  /** Names whose results are in the visible history. */
  readonly recentlyUsed: ReadonlySet<string>;
}

/** The points of one tool. */
export function scoreTool(tool: ToolEntry, context: ScoreContext): number {
  const { name = '' } = tool;
  let score = matchPoints(tool, context);
  if (context.loaded.has(name)) score += RELEVANCE_POINTS.loaded;
  if (context.isAlwaysKept(name)) score += RELEVANCE_POINTS.alwaysKept;
  return score;
}

/** The points of what the conversation says about a tool. */
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

/** How many tools are to stay, and which of them may go. */
interface Places {
  readonly keep: number;
  readonly candidates: ReadonlySet<string>;
}

/**
 * The candidates that stay. Tools that stay anyway and have points take places too, but none from a candidate that matches: of those, as many
 * as there are places stay beside them.
 */
function bestNames(
  tools: readonly ToolEntry[],
  { keep, candidates }: Places,
  context: ScoreContext,
): ReadonlySet<string | undefined> {
  const scored = tools.flatMap((tool) =>
    candidates.has(tool.name!) ? { name: tool.name, score: matchPoints(tool, context) } : [],
  );
  // Sorting is stable: equal scores keep the client's order.
  scored.sort((left, right) => right.score - left.score);
  const staying = tools.filter((tool) => !candidates.has(tool.name!) && scoreTool(tool, context) > 0);
  const free = Math.max(keep - staying.length, 0);
  return new Set(
    scored.filter(({ score }, rank) => rank < free || (rank < keep && score > 0)).map(({ name }) => name),
  );
}

/** What the scores for a request depend on. */
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
 * Tokens by the parsed tool: formats read a list of tools that comes again once, so its tools are the same objects, and cutting a few
 * hundred of them into tokens costs more than the rest of a plan.
 */
const knownTokens = new WeakMap<object, ReadonlySet<string>>();

/** Tools that are cut into tokens between two pauses: some milliseconds. */
const SLICE = 64;

/** Cuts tools into tokens ahead of a plan, in slices: at once, a thousand that nobody has seen would hold up every other request. */
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

/** Name, description and parameter names. */
function textOf({ name = '', description, definition }: ToolEntry): string {
  const document = toDocument({ name, description, definition: definition as Record<string, unknown> });
  return [name, description, ...document.parameters.map((parameter) => parameter.name)].join('\n');
}
