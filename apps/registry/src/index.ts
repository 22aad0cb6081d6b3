export { DECLARATION, DEFAULT_SETTINGS, readSettings, type Settings } from './config.ts';
export { type RunningRegistry, startRegistry } from './server.ts';
