export {
  DECLARATION,
  DEFAULT_SETTINGS,
  readSettings,
  type Settings,
  type SettingsOutcome,
} from './config.ts';
export { type RegistryEffects, type RunningRegistry, startRegistry } from './server.ts';
