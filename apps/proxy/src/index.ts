export { type Config, DECLARATION, readConfig } from './config/config.ts';
export type { Fetch } from './in-process/fetch-call.ts';
export { readFetchOptions } from './in-process/fetch-options.ts';
export type { EngineOptions } from './in-process/open-engine.ts';
export { winnowFetch } from './in-process/winnow-fetch.ts';
export { type ProxyEffects, type RunningProxy, startProxy } from './server.ts';
export { createPreload, type Preload, type PreloadOptions } from './strategies/preload.ts';
export { systemEffects } from './system-effects.ts';
