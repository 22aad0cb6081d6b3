import { LIMITS } from '@winnow/contract';
import type { HiddenTurn, LoadMode, Plan, RequestView } from '@winnow/wire';
import { bypass, isBypass } from './bypass.ts';
import { isBound, type LoadModes, type ModeQuestion } from './load-modes.ts';
import type { ReadyStrategy } from './strategy.ts';

/** What a request's plan depends on. */
export interface PlanSource extends ModeQuestion {
  /** The hidden turns that its history brings back. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Names that were loaded before its history begins; none unless said. */
  readonly earlierNames?: readonly string[] | undefined;
  /** Names of tools that stay visible from the start; none unless said. */
  readonly preloaded?: readonly string[];
}

/** Who plans. */
export interface Planner {
  readonly strategy: ReadyStrategy;
  readonly loadModes: LoadModes;
  /** Told of a defect of ours; the request is left alone. */
  readonly onDefect: (error: unknown) => void;
}

/** The plan for a request. Never throws: a defect of ours must not cost the client its response. */
export function planRequest(source: PlanSource, { strategy, loadModes, onDefect }: Planner): Plan {
  const { view, upstream, preloaded = [] } = source;
  try {
    if (hasTooManyTools(view)) return bypass('too_many_tools');
    const choice = loadModes.choose(source);
    const loadMode = choice === 'native' ? 'native' : 'swap';
    const plan = strategy.plan({
      view,
      loaded: loadedNames(source, loadMode),
      preloaded,
      isBound: isBound(source),
      loadMode,
    });
    if (isBypass(plan)) return plan;
    if (choice === 'refused_before') return bypass('refused_before');
    // Some strategies only swap.
    const isSwapped = plan.loadMode === 'swap';
    if (choice !== 'thinking_bound' && !(isSwapped && isBound(source))) return plan;
    loadModes.leaveBound({ upstream, model: view.model });
    return bypass('thinking_bound');
  } catch (error) {
    onDefect(error);
    return bypass('plan_failed');
  }
}

/**
 * Names that the history loads: what its hidden turns found, in their order; and where loading changes the tools, what it visibly calls, in
 * order of first call.
 */
function loadedNames(
  { earlierNames = [], hiddenTurns, view }: PlanSource,
  loadMode: LoadMode,
): readonly string[] {
  const found = [...earlierNames, ...hiddenTurns.flatMap(({ names }) => names)];
  return [...new Set(loadMode === 'swap' ? [...found, ...view.calledNames] : found)];
}

/** Of the text of all tools: what a selector takes at most by default. */
const MAX_TOOLS_CHARS = 16 * 1024 * 1024;

/** Planning, indexing and sending more than this would hold every other request up, and no selector would take it. */
export function hasTooManyTools({ tools }: RequestView): boolean {
  const [first, last] = [tools[0], tools.at(-1)];
  if (!first || !last) return false;
  return tools.length > LIMITS.tools || last.span.end - first.span.start > MAX_TOOLS_CHARS;
}
