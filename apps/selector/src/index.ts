export {
  DECLARATION,
  DEFAULT_SETTINGS,
  readSettings,
  type Settings,
  type SettingsOutcome,
} from './config.ts';
export { type RunningSelector, type SelectorEffects, startSelector } from './server.ts';
