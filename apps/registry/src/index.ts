export { DECLARATION, DEFAULT_SETTINGS, readSettings, type Settings } from './config.ts';
export { type RegistryEffects, type RunningRegistry, startRegistry } from './server.ts';
