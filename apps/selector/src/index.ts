export { DECLARATION, DEFAULT_SETTINGS, readSettings, type Settings } from './config.ts';
export { type RunningSelector, startSelector } from './server.ts';
