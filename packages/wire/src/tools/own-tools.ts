import { BRIDGE_PARAMETERS, SEARCH_PARAMETERS } from '@winnow/core';
import type { AddedTool } from '../format/capabilities.ts';
import type { Plan, SearchTool } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';

/** Returns the tools that a plan adds to a request, in their order: the search tool, then the bridge tool. */
export function ownTools(plan: Plan): readonly AddedTool[] {
  const { searchTool } = plan;
  return [
    ...(searchTool === undefined ? [] : [withParameters(searchTool, SEARCH_PARAMETERS)]),
    ...(plan.loadMode === 'bridge' ? [withParameters(plan.bridgeTool, BRIDGE_PARAMETERS)] : []),
  ];
}

/** The same object for each request of an agent, so that its text can be remembered. */
const withParameters = rememberBy(
  (tool: SearchTool, parameters: AddedTool['parameters']): AddedTool => ({ ...tool, parameters }),
);

/** Writes these tools as the entries of a list; undefined when there are none. */
export function writeOwnTools(plan: Plan, writeTool: (tool: AddedTool) => string): string | undefined {
  const tools = ownTools(plan);
  return tools.length === 0 ? undefined : tools.map((tool) => writeTool(tool)).join(',');
}
