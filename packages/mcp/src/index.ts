export { AGENTS, type Agent, type DoorCommand } from './agent-settings/agents.ts';
export {
  type ImportedSettings,
  type ImportOutcome,
  importSettings,
  type SettingsFile,
  writeDoorEntry,
} from './agent-settings/import-settings.ts';
export { CALL_OUTCOMES, type CallOutcome, type CallRecord } from './front-door/call-outcome.ts';
export { CallSlots } from './front-door/call-slots.ts';
export type { CallContext, CallEnd } from './front-door/call-tool.ts';
export { DISPATCH_MODES, type DispatchMode } from './front-door/dispatch.ts';
export { FrontDoor, type FrontDoorCall, type FrontDoorOptions } from './front-door/front-door.ts';
export { NO_SERVERS } from './front-door/no-servers.ts';
export { DOOR_INSTRUCTIONS, type ProtocolIdentity } from './front-door/protocol/create-protocol-server.ts';
export {
  type DoorRequest,
  type HttpDoor,
  type HttpDoorOptions,
  openHttpDoor,
} from './front-door/protocol/http-door.ts';
export { openStdioDoor, type StdioDoor, type StdioDoorOptions } from './front-door/protocol/stdio-door.ts';
export { type WatchListOptions, watchList } from './front-door/protocol/watch-list.ts';
export { CallProblem, type CallProblemCode, type RpcError } from './servers/call-problem.ts';
export type { ConfigProblem } from './servers/config/field-reader.ts';
export { type EntryOutcome, type EntryReading, readEntry } from './servers/config/read-entry.ts';
export { readServers, type ServersFile } from './servers/config/read-servers.ts';
export type { CallOptions, CallResult, McpServers, Progress } from './servers/mcp-servers.ts';
export type { After } from './servers/process-group.ts';
export { createSdkConnector, type SdkConnectorOptions } from './servers/sdk-connector.ts';
export type { ConnectionEvents, Connector, SentCall, ServerConnection } from './servers/server-connection.ts';
export type { ServerEffects, ServersObserver } from './servers/server-effects.ts';
export {
  ENTRY_DEFAULTS,
  type HttpTransport,
  type ServerAuth,
  type ServerEntry,
  type StdioTransport,
} from './servers/server-entry.ts';
export { ServerProblem, type ServerProblemCode } from './servers/server-problem.ts';
export { type OpenServersOptions, openServers, type ServerAdministration } from './servers/server-set.ts';
export {
  type ProtocolEra,
  SERVER_STATUSES,
  type ServerState,
  type ServerStatus,
} from './servers/server-state.ts';
