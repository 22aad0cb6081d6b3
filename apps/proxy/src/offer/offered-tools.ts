import { RegistryCall, searchParameters } from '@winnow/core';
import type { AddedTool } from '@winnow/wire';

/**
 * The registry's tools that a request may get: those of its front door, described in fewer words. They never
 * change, so prompts stay cached, and the registry is not called until the model calls one.
 */
export const OFFERED_TOOLS: readonly AddedTool[] = [
  {
    name: 'search_tools',
    description:
      'Finds more tools that only read, such as those of documentation, tickets or files, by what they do. Many more tools exist than are shown: search whenever a task needs to look something up that no tool shown can. Give a few words that say the action and its object. Gives names, what they do and their parameters; call one with call_tool.',
    parameters: searchParameters({
      limit: { type: 'integer', description: 'Most tools to find, 1 to 20; 5 by default.' },
    }),
  },
  {
    name: 'call_tool',
    description:
      'Calls a tool that search_tools found, if it only reads. Its arguments are checked first; an error says what to change.',
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool, as search_tools gives it.' },
        arguments: { type: 'object', description: 'Arguments of that tool as JSON, by its schema.' },
      },
      required: ['name', 'arguments'],
    },
  },
  {
    name: 'describe_tools',
    description:
      'Gives the full definitions of tools by name. Use it when what search_tools says of a tool is not enough to call it.',
    parameters: {
      type: 'object',
      properties: {
        names: {
          type: 'array',
          items: { type: 'string' },
          description: 'Names as search_tools gives them, at most 20.',
        },
      },
      required: ['names'],
    },
  },
];

/** The names of the offered tools. */
export const OFFERED_NAMES = OFFERED_TOOLS.map(({ name }) => RegistryCall.shape.tool.parse(name));
