export { openSelectorAgent } from './open-selector-agent.ts';
export type { RedactOptions } from './redact-tool.ts';
export type { SearchableTools, SearchOutcome } from './search-outcome.ts';
export {
  createSelectorClient,
  type SelectorClient,
  type SelectorClientEffects,
  type SelectorClientOptions,
  type SelectorOutcome,
  type SelectorSearch,
} from './selector-client.ts';
export { SelectorHealth } from './selector-health.ts';
