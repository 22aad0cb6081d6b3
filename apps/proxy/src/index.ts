export { type Config, type ConfigOutcome, type ConfigSources, printConfig, readConfig } from './config.ts';
export { type ProxyEffects, type RunningProxy, startProxy } from './server.ts';
export { systemEffects } from './system-effects.ts';
