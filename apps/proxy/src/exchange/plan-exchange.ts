import { LIMITS } from '@winnow/contract';
import type { Format, Plan, RequestView } from '@winnow/wire';
import type { ProxyContext } from '../proxy-context.ts';
import type { Session } from '../sessions/session-store.ts';
import { bypass } from '../strategies/bypass.ts';
import { STRATEGIES } from '../strategies/index.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';

/** What a request's plan depends on. */
export interface PlanSource {
  readonly view: RequestView;
  readonly session: Session;
  readonly format: Format;
  readonly upstream: Upstream;
}

/** The plan for a request. Never throws: a defect of ours must not cost the client its answer. */
export function planExchange(
  { view, session, format, upstream }: PlanSource,
  { settings, loadModes, onDefect }: Pick<ProxyContext, 'settings' | 'loadModes' | 'onDefect'>,
): Plan {
  try {
    if (hasTooManyTools(view)) return bypass('too_many_tools');
    return STRATEGIES[settings['pipes.tool_discovery.strategy']].plan({
      view,
      settings,
      loaded: session.loaded,
      loadMode: loadModes.choose({ format, upstream, model: view.model }),
    });
  } catch (error) {
    onDefect(error);
    return bypass('plan_failed');
  }
}

/** Of the text of all tools: what a selector takes at most by default. */
const MAX_TOOLS_CHARS = 16 * 1024 * 1024;

/** Planning, indexing and sending more than this would hold every other request up, and no selector would take it. */
function hasTooManyTools({ tools }: RequestView): boolean {
  const [first, last] = [tools[0], tools.at(-1)];
  if (!first || !last) return false;
  return tools.length > LIMITS.tools || last.span.end - first.span.start > MAX_TOOLS_CHARS;
}

/** The plan with these names made visible; names that are visible already stay where they are. */
export function withLoaded(plan: Plan, names: readonly string[]): Plan {
  return { ...plan, load: [...new Set([...plan.load, ...names])] };
}

/**
 * The plan as it is sent in a later round of an exchange that began with `first`: natively, what has been found is referred to by results,
 * and the tools stay as they were.
 */
export function asSent(plan: Plan, first: Plan): Plan {
  return plan.loadMode === 'native' ? { ...plan, load: first.load } : plan;
}

/** The plan that gives the model all of the client's tools and nothing to search with. */
export function withoutSearch(plan: Plan): Plan {
  return { ...plan, defer: [], load: [], searchTool: undefined };
}
