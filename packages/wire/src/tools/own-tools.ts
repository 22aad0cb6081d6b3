import { BRIDGE_PARAMETERS, SEARCH_PARAMETERS } from '@winnow/text';
import type { AddedTool } from '../format/capabilities.ts';
import type { Plan } from '../format/view.ts';

/** Returns the tools that a plan adds to a request, in their order: the search tool, then the bridge tool. */
export function ownTools(plan: Plan): readonly AddedTool[] {
  const { searchTool } = plan;
  return [
    ...(searchTool === undefined ? [] : [{ ...searchTool, parameters: SEARCH_PARAMETERS }]),
    ...(plan.loadMode === 'bridge' ? [{ ...plan.bridgeTool, parameters: BRIDGE_PARAMETERS }] : []),
  ];
}

/** Writes these tools as the entries of a list; undefined when there are none. */
export function writeOwnTools(plan: Plan, writeTool: (tool: AddedTool) => string): string | undefined {
  const tools = ownTools(plan);
  return tools.length === 0 ? undefined : tools.map(writeTool).join(',');
}
