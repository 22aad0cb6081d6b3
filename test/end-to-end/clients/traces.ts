/** The name that clients must never see. */
export const SEARCH_TOOL = 'gateway_search_tools';

/**
 * The name in plain text and in base64 at each alignment, without the characters that also encode
 * neighbouring bytes.
 */
export const TRACES = [
  SEARCH_TOOL,
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${SEARCH_TOOL}`)
      .toString('base64')
      .slice(offset === 0 ? 0 : offset + 1, -4),
  ),
];
