/** The behaviour of a scripted MCP server. */
export const MCP_MOODS = [
  'well',
  /** Every page has a next page. */
  'endless_pages',
  /** The second page links back to the first. */
  'repeated_cursor',
  /** A description of 5 MB. */
  'huge_description',
  /** A list larger than any client should accept: 20 tools of 2 MB. */
  'huge_list',
  /** A list of few bytes that takes long to parse: a schema with 600,000 values. */
  'many_values',
  /** A list without tools. */
  'empty',
  /** The connection or process ends in the middle of the list. */
  'dies',
  /** Accepts requests and never responds. */
  'hangs',
  /** Responds with invalid JSON. */
  'garbage',
  /** Responds with a result that is not a list. */
  'no_list',
  /** Declares a shorter response than it sends. */
  'short_length',
  /** Declares a longer response than it sends, and ends. */
  'long_length',
  /** Sends change notifications without end. */
  'floods',
  /** Requires other credentials. */
  'unauthorized',
  /** Returns a JSON-RPC error that repeats the credentials from the request. */
  'tells_secrets',
] as const;

export type McpMood = (typeof MCP_MOODS)[number];
