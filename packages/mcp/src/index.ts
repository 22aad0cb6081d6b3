export { AGENTS } from './agent-settings/agents.ts';
export { type ImportedSettings, importSettings, writeDoorEntry } from './agent-settings/import-settings.ts';
export {
  CALL_OUTCOMES,
  type CallOutcome,
  type CallRecord,
  NO_SERVERS,
  NOT_RELAYED,
} from './front-door/call-outcome.ts';
export { DISPATCH_MODES, type DispatchMode } from './front-door/dispatch.ts';
export { FrontDoor } from './front-door/front-door.ts';
export { DOOR_INSTRUCTIONS, watchList } from './front-door/protocol/create-protocol-server.ts';
export { type HttpDoor, openHttpDoor } from './front-door/protocol/http-door.ts';
export { openStdioDoor, type StdioDoor } from './front-door/protocol/stdio-door.ts';
export { readEntry, readServers, type ServersFile } from './servers/config/read-servers.ts';
export { ServerProblem } from './servers/failures.ts';
export type {
  CallOptions,
  CallResult,
  McpServers,
  ServerState,
  ServerStatus,
} from './servers/mcp-servers.ts';
export { createSdkConnector } from './servers/sdk-connector.ts';
export type { ServersObserver } from './servers/server-connection.ts';
export type { ServerEntry } from './servers/server-entry.ts';
export { openServers, type ServerAdministration } from './servers/server-set.ts';
export { repairNames } from './servers/take-over-list.ts';
