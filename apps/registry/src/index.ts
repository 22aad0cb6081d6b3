export { DEFAULT_SETTINGS, type Settings } from './config.ts';
export { type RegistryEffects, type RunningRegistry, startRegistry } from './server.ts';
