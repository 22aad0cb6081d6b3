import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import {
  Confidence,
  MatchedField,
  MeaningGap,
  SearchCertainty,
  UnknownWords,
  UsedSearchType,
} from '../search.ts';
import { RegistryTool } from './tools.ts';

/**
 * The requested reading of a query. The last two rank by meaning; without a model they fall back to keywords.
 */
const RegistrySearchType = z.enum(['auto', 'keyword', 'regex', 'semantic', 'hybrid']);

const names = (description: string) => z.array(z.string()).max(1_000).optional().describe(description);

/**
 * Filters of a search. All given filters must match; they apply before ranking. Unknown ones are refused: ignored,
 * they would widen the result.
 */
export const RegistryFilters = z.strictObject({
  namespaces: names('Any of these namespaces; an empty string matches tools without one.'),
  tags: names('Any of these tags.'),
  tags_all: names('All of these tags.'),
  servers: names('A backend on any of these MCP servers.'),
  kinds: z
    .array(z.enum(['mcp', 'provider', 'local']))
    .optional()
    .describe('A backend of any of these kinds.'),
  annotations: z
    .record(z.string(), z.json())
    .optional()
    .describe('Annotations with exactly these values, such as `{"readOnlyHint": true}`.'),
  exclude: names('Ids of tools to leave out.'),
});
export type RegistryFilters = z.infer<typeof RegistryFilters>;

/** Body of `POST /v1/registry/search`. Unknown fields outside `filters` are ignored. */
export const RegistrySearchRequest = z.object({
  query: z
    .string()
    .optional()
    .describe(
      'Natural language, keywords, a regular expression, a glob, or exact names; empty to list by id. Required without `queries`.',
    ),
  queries: z
    .array(z.string())
    .min(1)
    .max(LIMITS.patterns)
    .optional()
    .describe(
      'Several needs, or several wordings of one, in one search; `query` is then ignored. Results are merged like those of the selector’s `patterns`.',
    ),
  search_type: RegistrySearchType.default('auto'),
  page_size: z.int().min(1).max(100).default(10),
  limit: z.int().min(1).max(1_000).optional().describe('Most results over all pages; 1,000 by default.'),
  cursor: z.string().optional().describe('`next_cursor` of the previous page of the same query.'),
  filters: RegistryFilters.optional(),
  always_keep: z
    .array(z.string())
    .max(100)
    .optional()
    .describe('Ids or model names of tools that are always in the result, as far as `limit` allows.'),
  include: z
    .array(z.enum(['scores', 'metadata', 'schemas']))
    .default([])
    .describe('Additions to the response: `scores` adds each tool’s confidence, `schemas` its definition.'),
});
export type RegistrySearchRequest = z.infer<typeof RegistrySearchRequest>;

/** One found tool. */
export const RegistryReference = z.object({
  tool_name: z.string(),
  id: z.string(),
  namespace: z.string().optional(),
  relevance_score: z.number().min(0).max(1).describe('Comparable within this search only.'),
  summary: z.string(),
  confidence: Confidence,
  matched_on: z.array(MatchedField).describe('Empty if the tool did not match and is kept or listed anyway.'),
  server: z.string().optional(),
  stale_since: z
    .string()
    .optional()
    .describe('The time since which its MCP server could not be read; the tool may have changed.'),
  definition: RegistryTool.optional(),
});
export type RegistryReference = z.infer<typeof RegistryReference>;

/** Details of a search. */
export const RegistrySearchMetadata = z.object({
  search_type: UsedSearchType,
  requested_search_type: RegistrySearchType,
  query: z.string().describe('Several queries stand on a line each.'),
  execution_time_ms: z.number().min(0),
  degraded: z
    .object({ searcher: z.string(), reason: MeaningGap })
    .optional()
    .describe(
      'The searcher that failed, so that the built-in one took over; `meaning` if vectors were lacking, so that keywords took over. The reason is `failed` or `deadline` (late); for `meaning` also `missing_vectors` (not computed yet) or `too_many_tools` (to compare all vectors). Such a response has no further pages.',
    ),
  cache: z.enum(['hit', 'miss']),
  version: z.int().min(0),
});
export type RegistrySearchMetadata = z.infer<typeof RegistrySearchMetadata>;

/** Members of a response that say how little was found. */
export const NotFoundFields = {
  no_match: z.literal(true).optional().describe('Present if no tool matched.'),
  certainty: SearchCertainty,
  unknown_words: UnknownWords,
  nearest_namespaces: z
    .array(z.string())
    .optional()
    .describe('With `weak` and `none`: namespaces whose names resemble words of the query.'),
  by_query: z
    .array(
      z.object({
        tool_names: z.array(z.string()).describe('The best tools of this query, at most three.'),
        certainty: SearchCertainty,
        unknown_words: UnknownWords,
      }),
    )
    .optional()
    .describe('With several queries: one entry for each, in their order.'),
};

/** Response of `POST /v1/registry/search`. */
export const RegistrySearchResponse = z.object({
  tool_references: z.array(RegistryReference).describe('Most relevant first.'),
  total_matches: z.int().min(0).describe('Number of matching tools, before `limit`.'),
  next_cursor: z.string().optional().describe('Absent on the last page.'),
  ...NotFoundFields,
  search_metadata: RegistrySearchMetadata.optional(),
});
export type RegistrySearchResponse = z.infer<typeof RegistrySearchResponse>;
