export type { RunningService as RunningProxy } from '@winnow/service';
export { type Config, DECLARATION, readConfig } from './config/config.ts';
export { type ProxyEffects, startProxy } from './server.ts';
export { createPreload, type Preload, type PreloadOptions } from './strategies/preload.ts';
export { systemEffects } from './system-effects.ts';
