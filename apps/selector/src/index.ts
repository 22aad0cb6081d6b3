export { DEFAULT_SETTINGS, type Settings } from './config.ts';
export { type RunningSelector, type SelectorEffects, startSelector } from './server.ts';
