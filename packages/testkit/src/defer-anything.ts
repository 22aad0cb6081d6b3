/**
 * Environment of a proxy that defers every tool it may, however few and small the tools are and whatever the
 * user asks. For tests whose subject comes after the decision to defer.
 */
export const DEFER_ANYTHING: Readonly<Record<string, string>> = {
  PROXY_TOOLS_GOAL: 'context',
  PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '0',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '0',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_DEFERRED_TOKENS: '0',
};
