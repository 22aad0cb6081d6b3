/** The names that clients must never see. */
export const SEARCH_TOOL = 'gateway_search_tools';
export const BRIDGE_TOOL = 'gateway_call_tool';

/**
 * The names in plain text and in base64 at each alignment, without the characters that also encode
 * neighbouring bytes.
 */
export const TRACES = [SEARCH_TOOL, BRIDGE_TOOL].flatMap((name) => [
  name,
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${name}`)
      .toString('base64')
      .slice(offset === 0 ? 0 : offset + 1, -4),
  ),
]);
