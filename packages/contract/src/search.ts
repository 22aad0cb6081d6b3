import { z } from 'zod';
import { DEFAULT_TOP_K, LIMITS } from './limits.ts';

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One tool as it is searched: a name, what it does, and the provider's own tool object, whose parameters are found in any known shape. */
export const Tool = z.object({
  name: z.string().describe('Name by which the model calls the tool.'),
  description: z.string().nullish().describe('What the tool does.'),
  // A custom check, not a record: definitions are kept as they came, unread and uncopied.
  definition: z
    .custom<Record<string, unknown>>(isObject, 'Invalid input: expected object')
    .meta({ type: 'object' })
    .nullish()
    .describe("The provider's own tool object, in any provider's shape."),
});
export type Tool = z.infer<typeof Tool>;

/**
 * One entry of a request's `tools`: a `Tool`, or a tool exactly as OpenAI, Anthropic, Gemini, Bedrock or MCP write it. Only that it is
 * an object is checked here; the ranking package reads the shapes.
 */
export const ToolInput = z.custom<Record<string, unknown>>(isObject, 'Invalid input: expected object').meta({
  type: 'object',
  description:
    "A tool: `name`, `description` and the provider's own object as `definition`; or that object itself, as OpenAI (nested or flat), Anthropic, Gemini (one declaration), Bedrock (`toolSpec`) or MCP write it.",
  properties: {
    name: { type: 'string', description: 'Name by which the model calls the tool.' },
    description: { type: ['string', 'null'], description: 'What the tool does.' },
    definition: { type: ['object', 'null'], description: "The provider's own tool object, in any shape." },
    vector: {
      type: ['array', 'null'],
      items: { type: 'number' },
      minItems: 1,
      maxItems: LIMITS.vectorDimensions,
      description: 'What the tool means, by the model that `query_vector` comes from.',
    },
  },
});

/**
 * How the request wants the pattern read. `hybrid` orders the first of what keywords find by meaning as well; `semantic` orders these, and the tools that are nearest by
 * meaning, by meaning alone. What cannot be had is answered by keywords.
 */
export const SearchType = z.enum(['auto', 'keyword', 'regex', 'hybrid', 'semantic']);
export type SearchType = z.infer<typeof SearchType>;

/** The part of a request beside its tools: small, and validated on its own when the tools are known already. */
export const SearchQuery = z.object({
  pattern: z
    .string()
    .describe('Natural language, keywords, a regular expression, a glob, or exact tool names.'),
  top_k: z.int().min(1).max(LIMITS.topK).default(DEFAULT_TOP_K).describe('Most names to return.'),
  always_keep: z
    .array(z.string())
    .max(LIMITS.tools)
    .default([])
    .describe('Names that must be in the response when they are in `tools`.'),
  search_type: SearchType.default('auto'),
  catalog_id: z
    .string()
    .min(1)
    .max(LIMITS.catalogIdChars)
    .optional()
    .describe(
      'Names the tools, so that later requests may leave them out. Where the selector follows a registry, `registry` and `registry:NAMESPACE` name the tools of that.',
    ),
  include: z
    .array(z.enum(['scores', 'metadata']))
    .default([])
    .describe('What to add to the response.'),
  query_vector: z
    .array(z.number())
    .min(1)
    .max(LIMITS.vectorDimensions)
    .refine(
      (numbers) => numbers.length === 0 || numbers.some((number) => number !== 0),
      'Invalid input: all numbers are zero',
    )
    .optional()
    .describe(
      'What the pattern means, as numbers of the model that the `vector` of each tool comes from. Takes the place of the own embedder of the selector.',
    ),
  explain: z
    .array(z.string())
    .max(LIMITS.explainedNames)
    .default([])
    .describe('Names of tools, found or not, whose rank, score and words the response is to explain.'),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

/** Body of `POST /v1/tool-discovery/search`. Unknown fields are ignored. */
export const SearchRequest = SearchQuery.extend({
  tools: z
    .array(ToolInput)
    .optional()
    .describe('The catalogue to choose from; needed unless `catalog_id` is known.'),
});

/** Where a tool matched; `meaning` where no word of the pattern is in it. */
export const MatchedField = z.enum(['name', 'description', 'parameters', 'regex', 'exact_name', 'meaning']);
export type MatchedField = z.infer<typeof MatchedField>;

/** How a pattern was read in the end; `hybrid` and `semantic` only where they were asked for. */
export const UsedSearchType = z.enum(['keyword', 'regex', 'glob', 'hybrid', 'semantic']);
export type UsedSearchType = z.infer<typeof UsedSearchType>;

/** One selected tool, in the order of `selected_names`. */
export const ToolReference = z.object({
  tool_name: z.string(),
  relevance_score: z
    .number()
    .min(0)
    .max(1)
    .describe('Compares within this response only; at most three decimals.'),
  summary: z.string().describe('First sentence of the description, at most 120 characters.'),
  matched_on: z.array(MatchedField).describe('Empty when the tool is there only to be kept.'),
});

/** How the response came about. */
export const SearchMetadata = z.object({
  search_type: UsedSearchType,
  total_matches: z.int().min(0).describe('Tools that matched, before `top_k`.'),
  execution_time_ms: z.number().min(0).describe('At most three decimals.'),
  index: z
    .enum(['built', 'cached'])
    .describe('`cached` when the index of these tools was at hand, and the same token had sent them before.'),
  always_keep_left_out: z
    .int()
    .min(0)
    .describe('Names of `always_keep` that are in `tools` but had no room under `top_k`.'),
  degraded: z
    .literal(true)
    .optional()
    .describe(
      'Present when the order was to follow meaning too, and some of it was not known in time: tools without a vector were ordered by keywords.',
    ),
  registry_version: z
    .int()
    .min(0)
    .optional()
    .describe('With `catalog_id` `registry`: the version of the content that was searched.'),
  registry_away_ms: z
    .number()
    .min(0)
    .optional()
    .describe(
      'Present while the registry cannot be followed: for how long. What was known then was searched.',
    ),
});

/** Where one tool stands in a search, found or not. */
export const Explanation = z.object({
  name: z.string(),
  rank: z
    .int()
    .min(1)
    .nullable()
    .describe(
      'From 1, among all tools that match, whatever was selected; null when the tool does not match.',
    ),
  score: z
    .number()
    .min(0)
    .max(1)
    .describe(
      "The tool's score as a share of the best one's; 0 when it does not match. At most three decimals.",
    ),
  meaning: z
    .number()
    .optional()
    .describe(
      'What meaning has added, where the best keyword score counts 1; below 0 where it took. Missing where meaning was not looked at. At most three decimals.',
    ),
  matched: z
    .array(z.string())
    .describe(
      'Words of the pattern that find this tool, each searched by itself. A regular expression or a glob is one word.',
    ),
  missing: z.array(z.string()).describe('Words of the pattern that do not find it.'),
});

/** Response of `POST /v1/tool-discovery/search`. */
export const SearchResponse = z.object({
  selected_names: z.array(z.string()).describe('Most relevant first, at most `top_k`.'),
  no_match: z.literal(true).optional().describe('Present when no tool matched in any way.'),
  tool_references: z.array(ToolReference).optional(),
  search_metadata: SearchMetadata.optional(),
  explanations: z
    .array(Explanation)
    .optional()
    .describe('One for each name of `explain` that is in the catalogue, in that order.'),
});
export type SearchResponse = z.infer<typeof SearchResponse>;
