import type { Plan, RequestView } from '../format/view.ts';
import { echoRestorer, type RestoreEcho } from '../joining/restore-echo.ts';
import { memberOf, parseObject, withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject } from '../json/json-splice.ts';

export type { RestoreEcho };

/** Returns the restorer for interactions of a request that was edited by this plan. */
export function restoreEcho(view: RequestView, plan: Plan): RestoreEcho {
  const restore = echoRestorer(view, plan, {
    own: ['previous_interaction_id', 'input'],
    kept: ['steps', 'errors', 'id', 'tools', 'input'],
  });
  const config = view.body.generation_config;
  const own = isJsonObject(config) && config.tool_choice !== undefined ? config.tool_choice : undefined;
  return (interaction) => {
    const restored = restore(interaction);
    // A last round forbids calls; no other one does so of itself.
    const echoed = parseObject(memberOf(restored, 'generation_config') ?? '');
    if (echoed?.tool_choice !== 'none') return restored;
    if (!isJsonObject(config)) return withMembers(restored, { generation_config: undefined });
    const choice = own === undefined ? undefined : JSON.stringify(own);
    return withMember(restored, 'generation_config', (text) => withMembers(text, { tool_choice: choice }));
  };
}
