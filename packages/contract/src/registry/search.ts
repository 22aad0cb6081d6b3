import { z } from 'zod';
import { MatchedField, UsedSearchType } from '../search.ts';
import { RegistryTool } from './tools.ts';

/** How a query asks to be read. The last two ask for meaning, and are read as keywords where there is no model. */
export const RegistrySearchType = z.enum(['auto', 'keyword', 'regex', 'semantic', 'hybrid']);

const names = (description: string) => z.array(z.string()).max(1_000).optional().describe(description);

/** What a search is limited to; everything that is given must hold, before anything is ranked. */
export const RegistryFilters = z.object({
  namespaces: names('Any of these; the empty text stands for tools without one.'),
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
    .describe('Annotations with just these values, such as `{"readOnlyHint": true}`.'),
  exclude: names('Ids of tools that are left out.'),
});
export type RegistryFilters = z.infer<typeof RegistryFilters>;

/** Body of `POST /v1/registry/search`. Unknown fields are ignored. */
export const RegistrySearchRequest = z.object({
  query: z
    .string()
    .describe(
      'Natural language, keywords, a regular expression, a glob, or exact names; empty to list by id.',
    ),
  search_type: RegistrySearchType.default('auto'),
  page_size: z.int().min(1).max(100).default(10),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Most results over all pages; 1,000 when it is missing.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before, with the same query.'),
  filters: RegistryFilters.optional(),
  always_keep: z
    .array(z.string())
    .max(100)
    .optional()
    .describe('Ids or model names that are found in any case, as far as there is room under `limit`.'),
  include: z
    .array(z.enum(['scores', 'metadata', 'schemas']))
    .default([])
    .describe('What to add: `schemas` adds each tool’s definition.'),
});
export type RegistrySearchRequest = z.infer<typeof RegistrySearchRequest>;

/** One tool that was found. */
export const RegistryReference = z.object({
  tool_name: z.string(),
  id: z.string(),
  namespace: z.string().optional(),
  relevance_score: z.number().min(0).max(1).describe('Compares within this search only.'),
  summary: z.string(),
  matched_on: z.array(MatchedField).describe('Empty when the tool is only kept, or listed.'),
  server: z.string().optional(),
  stale_since: z
    .string()
    .optional()
    .describe('Its MCP server could not be read since then: the tool may have changed.'),
  definition: RegistryTool.optional(),
});
export type RegistryReference = z.infer<typeof RegistryReference>;

/** How a search came about. */
export const RegistrySearchMetadata = z.object({
  search_type: UsedSearchType,
  requested_search_type: RegistrySearchType,
  query: z.string(),
  execution_time_ms: z.number().min(0),
  degraded: z
    .object({ searcher: z.string(), reason: z.enum(['failed', 'deadline']) })
    .optional()
    .describe(
      'This searcher could not answer, and the built-in one did; of `meaning`, some was not known in time, and words stood in for it. Such an answer has no further pages.',
    ),
  cache: z.enum(['hit', 'miss']),
  version: z.int().min(0),
});
export type RegistrySearchMetadata = z.infer<typeof RegistrySearchMetadata>;

/** Response of `POST /v1/registry/search`. */
export const RegistrySearchResponse = z.object({
  tool_references: z.array(RegistryReference).describe('Most relevant first.'),
  total_matches: z.int().min(0).describe('Tools that matched, before `limit`.'),
  next_cursor: z.string().optional().describe('Missing on the last page.'),
  no_match: z.literal(true).optional(),
  nearest_namespaces: z
    .array(z.string())
    .optional()
    .describe('When nothing matched: namespaces whose names look like words of the query.'),
  search_metadata: RegistrySearchMetadata.optional(),
});
export type RegistrySearchResponse = z.infer<typeof RegistrySearchResponse>;
