import { LIMITS } from '@winnow/core';
import {
  type Format,
  type HiddenTurn,
  type LoadMode,
  namesDefinedBy,
  type Plan,
  type RequestView,
} from '@winnow/wire';
import { bypass, isBypass } from './bypass.ts';
import { isBound, type LoadModes, type ModeQuestion } from './load-modes.ts';
import type { ReadyStrategy } from './strategy.ts';

/** The input of a request's plan. */
export interface PlanSource extends ModeQuestion {
  readonly format: ModeQuestion['format'] & Pick<Format, 'remembering'>;
  /** The hidden turns of its history. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Names that were loaded before its history begins; none by default. */
  readonly earlierNames?: readonly string[] | undefined;
  /** Names of tools that are visible from the start; none by default. */
  readonly preloaded?: readonly string[];
  /** Groups to name next to them; none by default. */
  readonly groups?: readonly string[];
  /** Names of tools that must not be deferred, because earlier requests did not; none by default. */
  readonly kept?: readonly string[] | undefined;
}

/** Context for planning requests. */
export interface Planner {
  readonly strategy: ReadyStrategy;
  readonly loadModes: LoadModes;
  /** Receives a defect; the request is then left unchanged. */
  readonly onDefect: (error: unknown) => void;
}

/** Plans a request. Never throws: a defect must not cost the client its response. */
export function planRequest(source: PlanSource, { strategy, loadModes, onDefect }: Planner): Plan {
  const { view, upstream, preloaded = [], groups, kept } = source;
  try {
    if (hasTooManyTools(view)) return bypass('too_many_tools');
    const choice = loadModes.choose(source);
    const loadMode = choice === 'native' || choice === 'bridge' ? choice : 'swap';
    const plan = strategy.plan({
      view,
      loaded: loadedNames(source, loadMode),
      preloaded,
      groups,
      preloadForm: preloaded.length > 0 ? loadModes.preloadForm(source, loadMode) : undefined,
      kept,
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
 * Returns the names that the history loads: those found by its hidden turns, in order; and, if loading
 * changes the tools, those that it visibly calls, in order of first call. In bridge mode, those that its
 * results define.
 */
function loadedNames(
  { earlierNames = [], format, hiddenTurns, view }: PlanSource,
  loadMode: LoadMode,
): readonly string[] {
  const { bridge } = format.capabilities;
  if (loadMode === 'bridge' && bridge !== undefined) {
    const defined = namesDefinedBy(view, format.remembering.recall(view, hiddenTurns), bridge);
    return [...new Set([...earlierNames, ...defined])];
  }
  const found = [...earlierNames, ...hiddenTurns.flatMap(({ names }) => names)];
  return [...new Set(loadMode === 'swap' ? [...found, ...view.calledNames] : found)];
}

/** Maximum length of all tools, in characters: the default limit of a selector. */
const MAX_TOOLS_CHARS = 16 * 1024 * 1024;

/**
 * Whether there are too many tools: planning, indexing and sending them would delay all other requests, and
 * no selector would accept them.
 */
export function hasTooManyTools({ tools }: RequestView): boolean {
  const [first, last] = [tools[0], tools.at(-1)];
  if (!first || !last) return false;
  return tools.length > LIMITS.tools || last.span.end - first.span.start > MAX_TOOLS_CHARS;
}
