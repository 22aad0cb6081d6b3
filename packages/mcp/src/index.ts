export { CALL_OUTCOMES, type CallOutcome, type CallRecord } from './front-door/call-outcome.ts';
export { CallSlots } from './front-door/call-slots.ts';
export type { CallContext, CallEnd } from './front-door/call-tool.ts';
export { DISPATCH_MODES, type DispatchMode } from './front-door/dispatch.ts';
export { FrontDoor, type FrontDoorCall, type FrontDoorOptions } from './front-door/front-door.ts';
export { CallProblem, type CallProblemCode } from './servers/call-problem.ts';
export type { CallOptions, CallResult, McpServers, Progress } from './servers/mcp-servers.ts';
export type { ProtocolEra, ServerState, ServerStatus } from './servers/server-state.ts';
