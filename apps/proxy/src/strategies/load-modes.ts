import { RecentMap } from '@winnow/service';
import {
  bindsThinking,
  documentsLoadModes,
  type Format,
  type LoadMode,
  loadsNatively,
  type PreloadForm,
  type RequestView,
} from '@winnow/wire';
import type { Verdict } from '../sessions/notes.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';

/** An upstream and a model. */
export interface ModelPlace {
  readonly upstream: Upstream;
  readonly model: string | undefined;
}

/** A request with its upstream. */
export interface PlacedRequest {
  readonly format: Pick<Format, 'vendor' | 'loading' | 'editing' | 'capabilities'>;
  readonly upstream: Upstream;
  readonly view: RequestView;
}

/** The tenant: one tenant's refusal says nothing about another's requests. */
interface TenantPart {
  readonly tenant: string;
}

/** The parts of a request that determine its load mode. */
export interface ModeQuestion extends PlacedRequest, TenantPart {
  /** The verdict on the conversation, if known. */
  readonly verdict: Verdict | undefined;
}

/** The way in which a request may be edited. */
export type ModeChoice =
  | LoadMode
  /** Unedited: its thinking is bound to its tools, and every available mode changes those. */
  | 'thinking_bound'
  /** Unchanged: the upstream has refused this conversation in any other form. */
  | 'refused_before';

/** A notice for operators, once per upstream and model. */
export interface ModeNotice {
  readonly event: 'thinking_bound' | 'native_billed';
  readonly upstream: string;
  readonly model: string | undefined;
  /** The setting that helps. */
  readonly setting: string;
  readonly message: string;
}

/** Effects that load modes need. */
export interface LoadModeEffects {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly say: (notice: ModeNotice) => void;
}

/** Maximum number of places to remember; a forgotten place costs one repeated request. */
const MAX_PLACES = 1_000;

/** Time for which new conversations avoid native mode after a refusal, in milliseconds. */
const REFUSAL_MS = 3_600_000;

/** Decides how found tools become visible, and remembers refusals. */
export class LoadModes {
  readonly #effects: LoadModeEffects;
  /** Times of native refusals, by upstream, model and tenant. */
  readonly #refused = new RecentMap<string, number>(MAX_PLACES);
  /** Upstreams that refuse a change of tools within a conversation, by model and tenant. */
  readonly #unchanging = new RecentMap<string, true>(MAX_PLACES);
  readonly #billed = new RecentMap<string, true>(MAX_PLACES);
  readonly #said = new RecentMap<string, true>(MAX_PLACES);

  constructor(effects: LoadModeEffects) {
    this.#effects = effects;
  }

  /**
   * Returns `native` if the model supports it, the upstream is known or configured to, and has not refused
   * it; otherwise `bridge` where the format has it; otherwise `swap`. A conversation keeps its verdict.
   */
  choose(question: ModeQuestion): ModeChoice {
    const { verdict } = question;
    if (verdict?.mode === 'bypass') return 'refused_before';
    const isNative = this.allowsNative(question);
    if (isNative && verdict?.mode === 'native') return 'native';
    if (isNative && verdict === undefined && !this.#hasReasonAgainst(question)) return 'native';
    return this.#chooseOther(question);
  }

  #chooseOther(question: ModeQuestion): ModeChoice {
    const { verdict } = question;
    const isSwapped = verdict?.mode === 'swap' || !allowsBridge(question);
    if (isSwapped) return isBound(question) ? 'thinking_bound' : 'swap';
    return 'bridge';
  }

  /** Records that an upstream refused a native request of this tenant and accepted its original. */
  refuse({ upstream, model, tenant }: ModelPlace & TenantPart): void {
    this.#refused.set(keyOf({ upstream, model }, tenant), this.#effects.now());
  }

  /**
   * Returns the way in which a request brings preloaded tools; undefined where it cannot bring any. Only the
   * vendor's own servers are known to take a change of tools within a conversation.
   */
  preloadForm(question: PlacedRequest & TenantPart, loadMode: LoadMode): PreloadForm | undefined {
    const { format, upstream, view, tenant } = question;
    const forms = format.editing.preloadForms?.(view, loadMode) ?? [];
    const mayChange =
      format.loading.changeRefusal !== undefined &&
      format.vendor.origins.includes(upstream.origin) &&
      !this.#unchanging.get(keyOf({ upstream, model: view.model }, tenant));
    return forms.find((form) => form !== 'change' || mayChange);
  }

  /** Records that an upstream refused a change of tools within a conversation of this tenant. */
  refuseChange({ upstream, model, tenant }: ModelPlace & TenantPart): void {
    this.#unchanging.set(keyOf({ upstream, model }, tenant), true);
  }

  /**
   * Records that an upstream billed the deferred tools of a native request: new conversations avoid native
   * mode.
   */
  blame(place: ModelPlace): void {
    if (this.#billed.get(keyOf(place))) return;
    this.#billed.set(keyOf(place), true);
    const { name } = place.upstream;
    this.#say(place, {
      event: 'native_billed',
      setting: `upstreams.${name}.load`,
      message: `Deferred tools are billed like visible ones: new conversations do not use native mode. Set upstreams.${name}.load to bridge or swap.`,
    });
  }

  /** Reports a request that was left unchanged because its thinking is bound. */
  leaveBound(place: ModelPlace): void {
    const { name } = place.upstream;
    this.#say(place, {
      event: 'thinking_bound',
      setting: `upstreams.${name}.load`,
      message: `Requests of this model with thinking pass through unchanged: its thinking is bound to its tools. If the upstream supports defer_loading and tool_reference, set upstreams.${name}.load to native.`,
    });
  }

  /** Whether the settings, the upstream and the model allow native mode. */
  allowsNative({ format, upstream, view: { model } }: PlacedRequest): boolean {
    const isWritable = format.loading.modes.includes('native');
    const isExcluded =
      upstream.load === 'swap' || upstream.load === 'bridge' || upstream.isPolyfilled === true;
    if (!isWritable || isExcluded) return false;
    const isVendors = documentsLoadModes(format.vendor, upstream.origin);
    if (format.loading.isSpokenByAll && isVendors) return false;
    if (upstream.load === 'native') return true;
    return isVendors && loadsNatively(format.loading, model);
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

/** Whether the settings and the format allow bridge mode. */
function allowsBridge({ format, upstream }: PlacedRequest): boolean {
  return format.loading.modes.includes('bridge') && upstream.load !== 'swap';
}

/** Whether the content before the request's thinking must not change. */
export function isBound({ format, view }: PlacedRequest): boolean {
  const { capabilities } = format;
  return bindsThinking(capabilities, view.model) && capabilities.thinking?.isThinking(view) === true;
}

/** Maximum length of a model's name in a key, in characters: clients may write anything into it. */
const MODEL_CHARS = 256;

function keyOf({ upstream, model }: ModelPlace, tenant?: string): string {
  return JSON.stringify([upstream.name, model?.slice(0, MODEL_CHARS), tenant]);
}
