export { DECLARATION, DEFAULT_SETTINGS, readSettings, type Settings } from './config.ts';
export { type RunningSelector, type SelectorEffects, startSelector } from './server.ts';
