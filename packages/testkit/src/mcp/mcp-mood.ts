/** How a scripted MCP server behaves. */
export const MCP_MOODS = [
  'well',
  /** Another page behind every page. */
  'endless_pages',
  /** The second page leads to the first one. */
  'repeated_cursor',
  /** A description of 5 MB. */
  'huge_description',
  /** A list that is larger than anybody should take: 20 tools of 2 MB. */
  'huge_list',
  /** A list of few bytes that takes long to parse: a schema with 600,000 values. */
  'many_values',
  /** A list without tools. */
  'empty',
  /** The connection or the process ends in the middle of the list. */
  'dies',
  /** Takes requests and never answers. */
  'hangs',
  /** Answers with what is no JSON. */
  'garbage',
  /** Answers with what is no list. */
  'no_list',
  /** Says that its answer is shorter than it is. */
  'short_length',
  /** Says that its answer is longer than it is, and ends. */
  'long_length',
  /** Tells of changes without end. */
  'floods',
  /** Wants other credentials. */
  'unauthorized',
  /** An error of JSON-RPC that repeats the credentials it got. */
  'tells_secrets',
] as const;

export type McpMood = (typeof MCP_MOODS)[number];
