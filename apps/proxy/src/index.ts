export { type Config, DECLARATION, readConfig } from './config/config.ts';
export type { Fetch } from './in-process/fetch-call.ts';
export { type EngineOptions, readFetchOptions } from './in-process/open-engine.ts';
export { winnowFetch } from './in-process/winnow-fetch.ts';
export { localSearch } from './search/local.ts';
export { leanSearch, type Search } from './search/search.ts';
export { type ProxyEffects, type RunningProxy, startProxy } from './server.ts';
export { createPreload, type Preload, type PreloadOptions } from './strategies/preload.ts';
export { systemEffects } from './system-effects.ts';
