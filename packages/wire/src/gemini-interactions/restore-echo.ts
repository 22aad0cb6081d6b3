import type { Plan, RequestView } from '../format/view.ts';
import { echoRestorer, type RestoreEcho } from '../joining/restore-echo.ts';

export type { RestoreEcho };

/** Returns the restorer for interactions of a request that was edited by this plan. */
export function restoreEcho(view: RequestView, plan: Plan): RestoreEcho {
  return echoRestorer(view, plan, {
    own: ['previous_interaction_id', 'input'],
    kept: ['steps', 'errors', 'id', 'tools', 'input'],
  });
}
