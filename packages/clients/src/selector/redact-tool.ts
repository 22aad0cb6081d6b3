import type { Tool } from '@winnow/core';
import { toDocument } from '@winnow/ranking';
import { minimalDefinition } from './minimal-definition.ts';

/** Rules for the data that the selector may see. */
export interface RedactOptions {
  /** Tools whose descriptions are not sent. */
  readonly descriptions: readonly string[];
  /** Sends the client's whole tool object, or only names, types, texts and enumerations of its parameters. */
  readonly sendDefinition: 'full' | 'minimal';
}

/**
 * Returns a tool as the selector may see it. A tool with a withheld description has only its parameter names
 * sent.
 */
export function redactTool(tool: Tool, { descriptions, sendDefinition }: RedactOptions): Tool {
  const isSecret = descriptions.includes(tool.name);
  if (!isSecret && sendDefinition === 'full') return tool;
  const { name, description, definition } = tool;
  if (isSecret) return { name, definition: onlyParameterNames(tool) };
  return { name, description, ...(definition && { definition: minimalDefinition(definition) }) };
}

/** Returns a schema in the simplest supported format: names without texts or values. */
function onlyParameterNames(tool: Tool): Record<string, unknown> {
  const names = toDocument(tool).parameters.map((parameter) => parameter.name);
  const properties = Object.fromEntries(names.filter((name) => name !== '').map((name) => [name, {}]));
  return { parameters: { type: 'object', properties } };
}
