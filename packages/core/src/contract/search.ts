import { z } from 'zod';
import { DEFAULT_TOP_K, LIMITS } from './limits.ts';

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A tool to search: a name, a description, and the provider's own tool object, whose parameters are read from
 * any known shape.
 */
export const Tool = z.object({
  name: z.string().describe('Name by which the model calls the tool.'),
  description: z.string().nullish().describe('A description of the tool.'),
  // A custom check instead of a record schema: definitions are kept unread and uncopied.
  definition: z
    .custom<Record<string, unknown>>(isObject, 'Invalid input: expected object')
    .meta({ type: 'object' })
    .nullish()
    .describe("The provider's own tool object, in any provider's shape."),
});
export type Tool = z.infer<typeof Tool>;

/**
 * An entry of a request's `tools`: a `Tool`, or a tool exactly as OpenAI, Anthropic, Gemini, Bedrock or MCP
 * write it. The check accepts any object; the ranking package reads the shapes.
 */
const ToolInput = z.custom<Record<string, unknown>>(isObject, 'Invalid input: expected object').meta({
  type: 'object',
  description:
    "A tool: `name`, `description` and the provider's own object as `definition`; or that object alone, as OpenAI (nested or flat), Anthropic, Gemini (one declaration), Bedrock (`toolSpec`) or MCP write it.",
  properties: {
    name: { type: 'string', description: 'Name by which the model calls the tool.' },
    description: { type: ['string', 'null'], description: 'A description of the tool.' },
    definition: { type: ['object', 'null'], description: "The provider's own tool object, in any shape." },
    vector: {
      type: ['array', 'null'],
      items: { type: 'number' },
      minItems: 1,
      maxItems: LIMITS.vectorDimensions,
      description: 'The embedding of the tool, from the same model as `query_vector`.',
    },
  },
});

/**
 * The requested reading of the pattern. `hybrid` blends meaning into the order of the best keyword matches;
 * `semantic` orders these and the nearest tools only by meaning. If vectors are unavailable, keywords are used.
 */
export const SearchType = z.enum(['auto', 'keyword', 'regex', 'hybrid', 'semantic']);
export type SearchType = z.infer<typeof SearchType>;

/**
 * The part of a request without its tools: small, and validated on its own if the tools are already known.
 */
export const SearchQuery = z.object({
  pattern: z
    .string()
    .optional()
    .describe(
      'Natural language, keywords, a regular expression, a glob, or exact tool names. Required without `patterns`.',
    ),
  patterns: z
    .array(z.string())
    .min(1)
    .max(LIMITS.patterns)
    .optional()
    .describe(
      'Several needs, or several wordings of one, in one search; `pattern` is then ignored. The scores of a tool, as shares of the best score of each pattern, are added. The two best tools of each pattern with a certain match are selected as far as they fit, then those with the highest sum.',
    ),
  top_k: z.int().min(1).max(LIMITS.topK).default(DEFAULT_TOP_K).describe('Most names to return.'),
  always_keep: z
    .array(z.string())
    .max(LIMITS.tools)
    .default([])
    .describe('Names that must be in the response if they are in `tools`.'),
  search_type: SearchType.default('auto'),
  catalog_id: z
    .string()
    .min(1)
    .max(LIMITS.catalogIdChars)
    .optional()
    .describe(
      'Names the tools, so that later requests may leave them out. If the selector follows a registry, `registry` and `registry:NAMESPACE` name its tools.',
    ),
  include: z
    .array(z.enum(['scores', 'metadata']))
    .default([])
    .describe('Additions to the response.'),
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
      "The embedding of the only pattern, from the same model as the `vector` of each tool. Replaces the selector's own embedder.",
    ),
  explain: z
    .array(z.string())
    .max(LIMITS.explainedNames)
    .default([])
    .describe(
      'Names of tools, found or not, whose rank, score and words the response explains, for a single pattern.',
    ),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

/** Body of `POST /v1/tool-discovery/search`. Unknown fields are ignored. */
export const SearchRequest = SearchQuery.extend({
  tools: z
    .array(ToolInput)
    .optional()
    .describe('The catalogue to choose from; required unless `catalog_id` is known.'),
});

/** The field in which a tool matched; `meaning` if it contains no word of the pattern. */
export const MatchedField = z.enum(['name', 'description', 'parameters', 'regex', 'exact_name', 'meaning']);
export type MatchedField = z.infer<typeof MatchedField>;

/** The actual reading of a pattern: `hybrid` if meaning influenced the order, `semantic` only on request. */
export const UsedSearchType = z.enum(['keyword', 'regex', 'glob', 'hybrid', 'semantic']);
export type UsedSearchType = z.infer<typeof UsedSearchType>;

/**
 * The reason why a search by meaning was answered by words, as a whole or for some tools: no embedder is set;
 * it failed; the pattern's vector was late; tools have no vector (yet), or one of another model; the catalogue
 * is too large to compare all vectors.
 */
export const MeaningGap = z.enum(['no_embedder', 'failed', 'deadline', 'missing_vectors', 'too_many_tools']);
export type MeaningGap = z.infer<typeof MeaningGap>;

/** The absolute confidence in a found tool. */
export const Confidence = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .describe(
    'Comparable between searches by words: below 0.055 (0.02 for a query in another script than Latin) the tool is probably not what was meant. Absent for exact names, globs, expressions and meaning. At most three decimals.',
  );

/** The certainty of a search without a certain match. */
export const SearchCertainty = z
  .enum(['weak', 'none'])
  .optional()
  .describe(
    'Absent if the tools fit, as far as can be told. `weak` if all matches share so little with the pattern that none of them may be what was meant; `none` if no tool matched.',
  );

/** The words that explain why a search has no certain match. */
export const UnknownWords = z
  .array(z.string())
  .optional()
  .describe('With `weak` and `none`: words of the pattern that no tool contains in any form, at most 8.');

/** One selected tool, in the order of `selected_names`. */
const ToolReference = z.object({
  tool_name: z.string(),
  relevance_score: z
    .number()
    .min(0)
    .max(1)
    .describe('Comparable within this response only; at most three decimals.'),
  summary: z.string().describe('First sentence of the description, at most 120 characters.'),
  confidence: Confidence,
  matched_on: z.array(MatchedField).describe('Empty if the tool did not match and `always_keep` names it.'),
});

/** Details of the search. */
const SearchMetadata = z.object({
  search_type: UsedSearchType,
  total_matches: z
    .int()
    .min(0)
    .describe('Number of matching tools, before `top_k`; of several patterns, at least as many.'),
  execution_time_ms: z.number().min(0).describe('At most three decimals.'),
  index: z
    .enum(['built', 'cached'])
    .describe(
      '`cached` if the index of these tools existed already, and the same token had sent them before.',
    ),
  always_keep_left_out: z
    .int()
    .min(0)
    .describe('Names of `always_keep` that are in `tools` but did not fit within `top_k`.'),
  degraded: z
    .literal(true)
    .optional()
    .describe('Present if a search by meaning lacked vectors: tools without one were ordered by keywords.'),
  degraded_reason: MeaningGap.optional().describe(
    'With `degraded`: why vectors were lacking. `no_embedder`: none is set. `failed`: the embedder fails. `deadline`: the vectors of the pattern were late. `missing_vectors`: tools have no vector yet, or none of the same model. `too_many_tools`: too many to compare all vectors.',
  ),
  registry_version: z
    .int()
    .min(0)
    .optional()
    .describe('With `catalog_id` `registry`: the version of the searched content.'),
  registry_away_ms: z
    .number()
    .min(0)
    .optional()
    .describe(
      'Present while the registry cannot be followed: the duration. The search used the last known content.',
    ),
});

/** The place of one tool in a search, found or not. */
const Explanation = z.object({
  name: z.string(),
  rank: z
    .int()
    .min(1)
    .nullable()
    .describe('From 1, among all matching tools, selected or not; null if the tool does not match.'),
  score: z
    .number()
    .min(0)
    .max(1)
    .describe(
      "The tool's score as a share of the best score; 0 if it does not match. At most three decimals.",
    ),
  meaning: z
    .number()
    .optional()
    .describe(
      'The amount that meaning added to the score, relative to the best keyword score; negative if it lowered the score. Absent if meaning was not used. At most three decimals.',
    ),
  matched: z
    .array(z.string())
    .describe(
      'Words of the pattern that match this tool on their own. A regular expression or a glob counts as one word.',
    ),
  missing: z.array(z.string()).describe('Words of the pattern that do not match it.'),
});

/** The result of one of several patterns. */
const PatternResult = z.object({
  selected_names: z
    .array(z.string())
    .describe('The best tools of this pattern, at most three, whether they are selected or not.'),
  certainty: SearchCertainty,
  unknown_words: UnknownWords,
});

/** Response of `POST /v1/tool-discovery/search`. */
export const SearchResponse = z.object({
  selected_names: z.array(z.string()).describe('Most relevant first, at most `top_k`.'),
  no_match: z.literal(true).optional().describe('Present if no tool matched.'),
  certainty: SearchCertainty,
  unknown_words: UnknownWords,
  by_pattern: z
    .array(PatternResult)
    .optional()
    .describe('With several patterns: one entry for each, in their order.'),
  tool_references: z.array(ToolReference).optional(),
  search_metadata: SearchMetadata.optional(),
  explanations: z
    .array(Explanation)
    .optional()
    .describe('One entry for each name in `explain` that is in the catalogue, in the same order.'),
});
export type SearchResponse = z.infer<typeof SearchResponse>;
