import { z } from 'zod';
import { RegistryReference, RegistrySearchMetadata } from './search.ts';
import { SearchToolFormatName } from './search-tool-format.ts';

const definition = z.record(z.string(), z.unknown());

/** Response of `GET /v1/registry/search-tool`. */
export const SearchToolResponse = z.object({
  format: SearchToolFormatName,
  definition: definition.describe('The definition of the search tool, to be put among the tools.'),
  system_text: z
    .string()
    .describe(
      'For the system prompt: how to search, and what there is to be found. At most 900 tokens with the definition.',
    ),
  always_loaded: z
    .array(z.object({ tool_name: z.string(), definition }))
    .describe('Tools that the model sees from the start, by name.'),
  version: z.int().min(0),
});
export type SearchToolResponse = z.infer<typeof SearchToolResponse>;

/** Body of `POST /v1/registry/search-tool/search`. */
export const SearchToolRequest = z.object({
  format: SearchToolFormatName.default('openai-chat'),
  arguments: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .describe("The arguments of the model's call as they came: an object, or its JSON text."),
  known: z
    .array(z.string())
    .max(1_000)
    .default([])
    .describe('Names of tools whose definitions the model has already.'),
});

/** Response of `POST /v1/registry/search-tool/search`. */
export const SearchToolAnswerResponse = z.object({
  tool_references: z.array(RegistryReference).describe('Most relevant first: what to tell the model.'),
  total_matches: z.int().min(0),
  no_match: z.literal(true).optional(),
  nearest_namespaces: z.array(z.string()).optional(),
  search_metadata: RegistrySearchMetadata.extend({
    ignored: z
      .array(z.string())
      .optional()
      .describe('Arguments that made no sense or named nothing, and were not used.'),
  }),
  definitions: z
    .array(definition)
    .describe('Definitions of the tools that are not known yet, to be put among the tools.'),
});
export type SearchToolAnswerResponse = z.infer<typeof SearchToolAnswerResponse>;
