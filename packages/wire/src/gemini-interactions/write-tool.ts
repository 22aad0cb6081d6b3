import type { AddedTool } from '../format/capabilities.ts';

/** A tool as JSON of a function. */
export function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ type: 'function', name, description, parameters });
}
