export {
  followRegistry,
  openRegistryAgent,
  registryProblems,
  registrySettings,
} from './registry/follow-registry.ts';
export type { FollowedTools } from './registry/followed-tools.ts';
export { createFollowerMetrics } from './registry/follower-metrics.ts';
export {
  type ChangeFeed,
  type ChangePlace,
  createRegistryClient,
  type RegistryReader,
  type TouchedTool,
} from './registry/registry-client.ts';
export { RegistryFailure } from './registry/registry-failure.ts';
export { RegistryFollower, type RegistryStatus } from './registry/registry-follower.ts';
export { openSelectorAgent } from './selector/open-selector-agent.ts';
export type { SearchableTools } from './selector/search-outcome.ts';
export {
  createSelectorClient,
  type SelectorClient,
  type SelectorClientOptions,
  type SelectorOutcome,
} from './selector/selector-client.ts';
export { SelectorHealth } from './selector/selector-health.ts';
