import type { JsonObject } from '@winnow/service';

/** A parameter behind the question mark. */
export const text = (name: string, description: string): JsonObject => ({
  name,
  in: 'query',
  required: false,
  schema: { type: 'string' },
  description,
});

export const ID: JsonObject = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'An id such as `jira:create_issue`, or a model name such as `jira__create_issue`.',
};
export const SERVER: JsonObject = {
  name: 'name',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'The name of an MCP server.',
};
export const IF_MATCH: JsonObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The version that the content must have, such as `"12"`.',
};
/** What lists in pages take. */
export const PAGE = [
  text('cursor', '`next_cursor` of the page before.'),
  text('page_size', '1 to 100; 10 when it is missing.'),
];
