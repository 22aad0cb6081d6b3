import type { Tool } from '@winnow/contract';
import { toDocument } from '@winnow/ranking';

/** What may leave for the selector. */
export interface RedactOptions {
  /** Tools whose descriptions stay here. */
  readonly descriptions: readonly string[];
  /** The client's whole tool object, or only the names of its parameters. */
  readonly sendDefinition: 'full' | 'minimal';
}

/** A tool as the selector may see it. A tool whose description is held back has its definition reduced as well. */
export function redactTool(tool: Tool, { descriptions, sendDefinition }: RedactOptions): Tool {
  const isSecret = descriptions.includes(tool.name);
  if (!isSecret && sendDefinition === 'full') return tool;
  return {
    name: tool.name,
    ...(isSecret ? {} : { description: tool.description }),
    definition: onlyParameterNames(tool),
  };
}

/** A schema in the plainest of the known shapes: names, no texts, no values. */
function onlyParameterNames(tool: Tool): Record<string, unknown> {
  const names = toDocument(tool).parameters.map((parameter) => parameter.name);
  const properties = Object.fromEntries(names.filter((name) => name !== '').map((name) => [name, {}]));
  return { parameters: { type: 'object', properties } };
}
