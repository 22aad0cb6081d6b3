export {
  createFollowerMetrics,
  followRegistry,
  openRegistryAgent,
  registryProblems,
  registrySettings,
} from './registry/follow-registry.ts';
export {
  type ChangeFeed,
  type ChangePlace,
  createRegistryClient,
  RegistryFailure,
  type RegistryReader,
  type TouchedTool,
} from './registry/registry-client.ts';
export { type FollowedTools, RegistryFollower, type RegistryStatus } from './registry/registry-follower.ts';
export type { SearchableTools } from './selector/judge-response.ts';
export {
  createSelectorClient,
  openSelectorAgent,
  type SelectorClient,
  type SelectorClientOptions,
  SelectorHealth,
  type SelectorOutcome,
} from './selector/selector-client.ts';
