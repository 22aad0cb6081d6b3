import { parameter } from '@winnow/service';

export const ID = parameter(
  'path',
  'id',
  'An id such as `jira:create_issue`, or a model name such as `jira__create_issue`.',
);
export const SERVER = parameter('path', 'name', 'The name of an MCP server.');
export const IF_MATCH = parameter(
  'header',
  'If-Match',
  'The version that the content must have, such as `"12"`.',
);
/** The parameters of lists in pages. */
export const PAGE = [
  parameter('query', 'cursor', '`next_cursor` of the page before.'),
  parameter('query', 'page_size', '1 to 100; 10 when it is missing.'),
];
