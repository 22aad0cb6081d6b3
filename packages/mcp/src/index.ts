export { CallProblem, type CallProblemCode } from './servers/call-problem.ts';
export type { CallOptions, CallResult, McpServers, Progress } from './servers/mcp-servers.ts';
export type { ProtocolEra, ServerState, ServerStatus } from './servers/server-state.ts';
