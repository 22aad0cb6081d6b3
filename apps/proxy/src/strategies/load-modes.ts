import type { Format, LoadMode } from '@winnow/wire';
import type { Settings } from '../config.ts';
import { RecentMap } from '../recent-map.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';

/** One place that requests of one model go to. */
export interface ModelPlace {
  readonly format: Format;
  readonly upstream: Upstream;
  readonly model: string | undefined;
}

/** Of other servers that speak the format, only the operator knows whether they load natively. */
const OWN_ORIGINS = ['https://api.anthropic.com'];

/** Models that are remembered; forgetting one costs a request that is sent twice. */
const MAX_REFUSALS = 1_000;

/** Decides how found tools become visible, and remembers where that was refused. */
export class LoadModes {
  readonly #setting: Settings['pipes.tool_discovery.load_mode'];
  readonly #refused = new RecentMap<string, true>(MAX_REFUSALS);

  constructor(setting: Settings['pipes.tool_discovery.load_mode']) {
    this.#setting = setting;
  }

  /** `native` where the model can, the upstream is known or configured to, and has not refused it; `swap` elsewhere. */
  choose({ format, upstream, model }: ModelPlace): LoadMode {
    if (this.#setting === 'swap' || !format.loadModes(model).includes('native')) return 'swap';
    if (this.#setting === 'auto' && !OWN_ORIGINS.includes(upstream.origin)) return 'swap';
    return this.#refused.get(keyOf({ upstream, model })) ? 'swap' : 'native';
  }

  /** An upstream refused a native request that it took in its original form. */
  refuse(place: Pick<ModelPlace, 'upstream' | 'model'>): void {
    this.#refused.set(keyOf(place), true);
  }
}

/** Of a model's name in a key: clients may write what they like into it. */
const MODEL_CHARS = 256;

function keyOf({ upstream, model }: Pick<ModelPlace, 'upstream' | 'model'>): string {
  return JSON.stringify([upstream.name, model?.slice(0, MODEL_CHARS)]);
}
