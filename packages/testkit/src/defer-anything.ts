/**
 * Environment of a proxy that defers whatever it may, whatever the user asks for, however few and small the tools are: for tests whose subject is what comes after
 * that.
 */
export const DEFER_ANYTHING: Readonly<Record<string, string>> = {
  PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '0',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '0',
  PROXY_PIPES_TOOL_DISCOVERY_MIN_DEFERRED_TOKENS: '0',
};
