import { RecentMap } from '@winnow/service';
import {
  bindsThinking,
  documentsLoadModes,
  type Format,
  type LoadMode,
  loadsNatively,
  type RequestView,
} from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import type { Verdict } from '../sessions/verdict.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';

/** One place that requests of one model go to. */
export interface ModelPlace {
  readonly upstream: Upstream;
  readonly model: string | undefined;
}

/** A request at the place that it goes to. */
export interface PlacedRequest {
  readonly format: Pick<Format, 'vendor' | 'loading' | 'capabilities'>;
  readonly upstream: Upstream;
  readonly view: RequestView;
}

/** A request as far as its load mode depends on it. */
export interface ModeQuestion extends PlacedRequest {
  /** Who asks: one tenant's refusal says nothing about another's requests. */
  readonly tenant: string;
  /** What is known of the conversation. */
  readonly verdict: Verdict | undefined;
}

/** How a request may be edited. */
export type ModeChoice =
  | LoadMode
  /** Not at all: its thinking is bound to its tools, and no mode leaves those as they are. */
  | 'thinking_bound'
  /** Not at all: the upstream has refused this conversation in any other form. */
  | 'refused_before';

/** What is said to people, once for each upstream and model. */
export interface ModeNotice {
  readonly event: 'thinking_bound' | 'native_billed';
  readonly upstream: string;
  readonly model: string | undefined;
  /** The setting that helps. */
  readonly setting: string;
  readonly message: string;
}

/** What load modes take of the world. */
export interface LoadModeEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  readonly say: (notice: ModeNotice) => void;
}

/** Places that are remembered; forgetting one costs a request that is sent twice. */
const MAX_PLACES = 1_000;

/** How long new conversations do without native mode after a refusal, in milliseconds. */
const REFUSAL_MS = 3_600_000;

/** Decides how found tools become visible, and remembers where that was refused. */
export class LoadModes {
  readonly #setting: Settings['tools.load_mode'];
  readonly #effects: LoadModeEffects;
  /** When native mode was refused, by upstream, model and tenant. */
  readonly #refused = new RecentMap<string, number>(MAX_PLACES);
  readonly #billed = new RecentMap<string, true>(MAX_PLACES);
  readonly #said = new RecentMap<string, true>(MAX_PLACES);

  constructor(setting: Settings['tools.load_mode'], effects: LoadModeEffects) {
    this.#setting = setting;
    this.#effects = effects;
  }

  /**
   * `native` where the model can, the upstream is known or said to, and has not refused it; `swap` elsewhere, but never where thinking is
   * bound. A conversation keeps its verdict.
   */
  choose(question: ModeQuestion): ModeChoice {
    const { verdict } = question;
    if (verdict?.mode === 'bypass') return 'refused_before';
    const isNative = this.allowsNative(question);
    if (isNative && verdict?.mode === 'native') return 'native';
    if (isNative && verdict === undefined && !this.#hasReasonAgainst(question)) return 'native';
    return isBound(question) ? 'thinking_bound' : 'swap';
  }

  /** An upstream refused a native request of this tenant that it took in its original form. */
  refuse({ upstream, model, tenant }: ModelPlace & { readonly tenant: string }): void {
    this.#refused.set(keyOf({ upstream, model }, tenant), this.#effects.now());
  }

  /** An upstream took a native request and billed what was deferred in it: new conversations do without. */
  blame(place: ModelPlace): void {
    if (this.#billed.get(keyOf(place))) return;
    this.#billed.set(keyOf(place), true);
    const { name } = place.upstream;
    this.#say(place, {
      event: 'native_billed',
      setting: `upstreams.${name}.native`,
      message: `Deferred tools are billed as if they were not: new conversations do without them. Set upstreams.${name}.native to off.`,
    });
  }

  /** A request was left alone because its thinking is bound. */
  leaveBound(place: ModelPlace): void {
    const { name } = place.upstream;
    this.#say(place, {
      event: 'thinking_bound',
      setting: `upstreams.${name}.native`,
      message: `Requests of this model with thinking pass through unchanged: its thinking is bound to its tools. If the upstream supports defer_loading and tool_reference, set upstreams.${name}.native to on.`,
    });
  }

  /** Whether the settings, the upstream and the model allow native mode. */
  allowsNative({ format, upstream, view: { model } }: PlacedRequest): boolean {
    const isWritable = format.loading.modes.includes('native');
    if (!isWritable || this.#setting === 'swap' || upstream.native === 'off') return false;
    const isVendors = documentsLoadModes(format.vendor, upstream.origin);
    if (format.loading.isNativeElsewhere && isVendors) return false;
    if (upstream.native === 'on') return true;
    const isKnown = this.#setting === 'native' || isVendors;
    return isKnown && loadsNatively(format.loading, model);
  }

  #hasReasonAgainst({ upstream, view: { model }, tenant }: ModeQuestion): boolean {
    const refusedAt = this.#refused.get(keyOf({ upstream, model }, tenant));
    const isRefused = refusedAt !== undefined && this.#effects.now() - refusedAt < REFUSAL_MS;
    return isRefused || this.#billed.get(keyOf({ upstream, model })) === true;
  }

  #say(place: ModelPlace, notice: Pick<ModeNotice, 'event' | 'setting' | 'message'>): void {
    const key = `${notice.event} ${keyOf(place)}`;
    if (this.#said.get(key)) return;
    this.#said.set(key, true);
    const model = place.model?.slice(0, MODEL_CHARS);
    this.#effects.say({ ...notice, upstream: place.upstream.name, model });
  }
}

/** Whether what stands before the request's thinking may not change. */
export function isBound({ format, upstream, view }: PlacedRequest): boolean {
  if (upstream.thinkingBound === 'off') return false;
  const { capabilities } = format;
  const mayBind = upstream.thinkingBound === 'on' || bindsThinking(capabilities, view.model);
  return mayBind && capabilities.thinking?.isThinking(view) === true;
}

/** Of a model's name in a key: clients may write what they like into it. */
const MODEL_CHARS = 256;

function keyOf({ upstream, model }: ModelPlace, tenant?: string): string {
  return JSON.stringify([upstream.name, model?.slice(0, MODEL_CHARS), tenant]);
}
