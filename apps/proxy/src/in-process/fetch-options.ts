import { nearestName, type Setting } from '@winnow/service';
import { SETTINGS, UPSTREAM_SETTINGS } from '../config/settings.ts';
import type { FetchSettings } from './open-engine.ts';

/** The options of callers: each has the meaning, the default and the bounds of one of the proxy's settings. */
const OPTIONS = {
  alwaysKeep: SETTINGS['tools.always_keep'],
  goal: SETTINGS['tools.goal'],
  load: UPSTREAM_SETTINGS.load,
  maxSearchResults: SETTINGS['tools.max_search_results'],
  preload: SETTINGS['tools.preload'],
} as const;

type Given = Readonly<Record<string, unknown>>;

/**
 * Returns the settings for the options of a caller; an option that is undefined has its default.
 *
 * @throws TypeError for an unknown option, with the nearest known one, or for a wrong value.
 */
export function readFetchOptions(options: Given): FetchSettings {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(OPTIONS, name)) continue;
    const nearest = nearestName(name, Object.keys(OPTIONS));
    throw new TypeError(`there is no option ${name}; the nearest one is ${nearest}.`);
  }
  return {
    load: readOption('load', OPTIONS.load, options),
    settings: {
      'tools.always_keep': readOption('alwaysKeep', OPTIONS.alwaysKeep, options),
      'tools.goal': readOption('goal', OPTIONS.goal, options),
      'tools.max_search_results': readOption('maxSearchResults', OPTIONS.maxSearchResults, options),
      'tools.preload': readOption('preload', OPTIONS.preload, options),
    },
  };
}

function readOption<Value>(
  name: string,
  { schema, default: fallback, allowed }: Setting<Value>,
  { [name]: value }: Given,
): Value {
  if (value === undefined) return fallback;
  const reading = schema.safeParse(value);
  if (reading.success) return reading.data;
  throw new TypeError(`the option ${name} must be ${allowed}.`);
}
