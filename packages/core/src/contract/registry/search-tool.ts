import { z } from 'zod';
import { NotFoundFields, RegistryReference, RegistrySearchMetadata } from './search.ts';
import { SearchToolFormatName } from './tools.ts';

const definition = z.record(z.string(), z.unknown());

/** Response of `GET /v1/registry/search-tool`. */
export const SearchToolResponse = z.object({
  format: SearchToolFormatName,
  definition: definition.describe('The definition of the search tool, to add to the tools.'),
  system_text: z
    .string()
    .describe(
      'Text for the system prompt: instructions for searching, and an outline of the tools. At most 900 tokens together with the definition.',
    ),
  always_loaded: z
    .array(z.object({ tool_name: z.string(), definition }))
    .describe('Names of tools that the model sees from the start.'),
  version: z.int().min(0),
});
export type SearchToolResponse = z.infer<typeof SearchToolResponse>;

/** Body of `POST /v1/registry/search-tool/search`. */
export const SearchToolRequest = z.object({
  format: SearchToolFormatName.default('openai-chat'),
  arguments: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .describe("The unmodified arguments of the model's call: an object, or its JSON text."),
  known: z
    .array(z.string())
    .max(1_000)
    .default([])
    .describe('Names of tools whose definitions the model already has.'),
});

/** Response of `POST /v1/registry/search-tool/search`. */
export const SearchToolAnswerResponse = z.object({
  tool_references: z.array(RegistryReference).describe('The text for the model, most relevant tools first.'),
  next_names: z
    .array(z.string())
    .optional()
    .describe(
      'For the model: names of up to 12 further matches, best first. A search for an exact name returns its definition.',
    ),
  total_matches: z.int().min(0),
  ...NotFoundFields,
  search_metadata: RegistrySearchMetadata.extend({
    ignored: z
      .array(z.string())
      .optional()
      .describe('Arguments that were ignored as invalid or without a match.'),
  }),
  definitions: z
    .array(definition)
    .describe(
      'Definitions of the tools that the model does not have yet, to add to the tools; none with `weak`.',
    ),
});
export type SearchToolAnswerResponse = z.infer<typeof SearchToolAnswerResponse>;
