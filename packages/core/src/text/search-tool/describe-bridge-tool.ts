/** The tool through which models call tools whose definitions they read as text. */
export function describeBridgeTool(
  name: string,
  searchToolName: string,
): { readonly name: string; readonly description: string } {
  return {
    name,
    description: [
      `Calls a tool that is not among the tools shown, once you have its definition, for example from ${searchToolName}.`,
      'Give the name and the arguments exactly as the definition says.',
      'Call the tools shown directly.',
    ].join(' '),
  };
}

/** The parameters of that tool as JSON Schema. */
export const BRIDGE_PARAMETERS = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'The name of the tool.' },
    arguments: { type: 'object', description: 'Its arguments.', additionalProperties: true },
  },
  required: ['name', 'arguments'],
  additionalProperties: false,
} as const;
