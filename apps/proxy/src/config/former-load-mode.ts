import type { ValuesOf } from '@winnow/service';
import type { SETTINGS, UPSTREAM_SETTINGS } from './settings.ts';

type FormerMode = ValuesOf<typeof SETTINGS>['tools.load_mode'];
type LoadSettings = Pick<ValuesOf<typeof UPSTREAM_SETTINGS>, 'load' | 'native'>;

/**
 * Returns an upstream's settings with the load mode that the former settings mean, where `load` is `auto`.
 * The former setting for all upstreams wins when it says `swap`, otherwise the upstream's own.
 */
export function withFormerLoadMode<Upstream extends LoadSettings>(
  upstream: Upstream,
  formerMode: FormerMode,
): Upstream {
  if (upstream.load !== 'auto') return upstream;
  if (formerMode === 'swap' || upstream.native === 'off') return { ...upstream, load: 'swap' };
  return upstream.native === 'on' ? { ...upstream, load: 'native' } : upstream;
}

/** Returns a sentence for each former setting that has an effect, with its successor. */
export function formerLoadModes(
  upstreams: Readonly<Record<string, LoadSettings>>,
  formerMode: FormerMode,
): string[] {
  const own = Object.entries(upstreams).flatMap(([name, { native }]) =>
    native === 'auto' ? [] : [`upstreams.${name}.native has been replaced: set upstreams.${name}.load.`],
  );
  const ofAll = ['tools.load_mode has been replaced: set upstreams.NAME.load.'];
  return [...(formerMode === 'auto' ? [] : ofAll), ...own];
}
