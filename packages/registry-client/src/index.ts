export { followRegistry, openRegistryAgent, registryProblems, registrySettings } from './follow-registry.ts';
export type { FollowedTools } from './followed-tools.ts';
export { createFollowerMetrics } from './follower-metrics.ts';
export {
  type ChangeFeed,
  type ChangePlace,
  createRegistryClient,
  type RegistryClient,
  type RegistryReader,
  type ToolCall,
  type TouchedTool,
} from './registry-client.ts';
export { RegistryFailure } from './registry-failure.ts';
export { RegistryFollower, type RegistryStatus } from './registry-follower.ts';
