import type { Tool } from '@winnow/contract';
import { toDocument } from '@winnow/ranking';
import { minimalDefinition } from './minimal-definition.ts';

/** What may leave for the selector. */
export interface RedactOptions {
  /** Tools whose descriptions stay here. */
  readonly descriptions: readonly string[];
  /** The client's whole tool object, or of its parameters only names, types, texts and enumerations. */
  readonly sendDefinition: 'full' | 'minimal';
}

/** A tool as the selector may see it. Of a tool whose description is held back, only the names of parameters are sent. */
export function redactTool(tool: Tool, { descriptions, sendDefinition }: RedactOptions): Tool {
  const isSecret = descriptions.includes(tool.name);
  if (!isSecret && sendDefinition === 'full') return tool;
  const { name, description, definition } = tool;
  if (isSecret) return { name, definition: onlyParameterNames(tool) };
  return { name, description, ...(definition && { definition: minimalDefinition(definition) }) };
}

/** A schema in the plainest of the known shapes: names, no texts, no values. */
function onlyParameterNames(tool: Tool): Record<string, unknown> {
  const names = toDocument(tool).parameters.map((parameter) => parameter.name);
  const properties = Object.fromEntries(names.filter((name) => name !== '').map((name) => [name, {}]));
  return { parameters: { type: 'object', properties } };
}
