import type { AddedTool } from '../format/capabilities.ts';

/** Returns a tool as the JSON of a function. */
export function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ type: 'function', name, description, parameters });
}
