/** The name that no client may ever see. */
export const SEARCH_TOOL = 'gateway_search_tools';

/** The same, and how it reads within base64, wherever it begins there: without the characters that also hold bits of what stands around it. */
export const TRACES = [
  SEARCH_TOOL,
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${SEARCH_TOOL}`)
      .toString('base64')
      .slice(offset === 0 ? 0 : offset + 1, -4),
  ),
];
