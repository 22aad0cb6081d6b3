export { openSelectorAgent } from './open-selector-agent.ts';
export type { SearchableTools } from './search-outcome.ts';
export {
  createSelectorClient,
  type SelectorClient,
  type SelectorClientOptions,
  type SelectorOutcome,
} from './selector-client.ts';
export { SelectorHealth } from './selector-health.ts';
