import type { Settings } from '../config.ts';
import { api } from './api.ts';
import { passthrough } from './passthrough.ts';
import { relevance } from './relevance.ts';
import type { Strategy } from './strategy.ts';
import { toolSearch } from './tool-search.ts';

/** Every strategy by its name in the configuration. */
export const STRATEGIES: Readonly<Record<Settings['pipes.tool_discovery.strategy'], Strategy>> = {
  passthrough,
  relevance,
  'tool-search': toolSearch,
  api,
};
