import { type PriceTable, priceOf } from './price-table.ts';

/** The rates of a model relative to plain input, and the tokens from which on a prompt is cached. */
export interface PriceRatios {
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  readonly minimum: number;
}

/** Parts of an agent's prompts, in tokens. */
export interface PromptSizes {
  /** The system prompt, the tools that stay, and the search tool. */
  readonly head: number;
  /** The tools that deferring leaves out, less the search tool. */
  readonly freed: number;
  /** Definitions that the first message brings. */
  readonly preloaded: number;
  /** Definitions that a search makes visible. */
  readonly found: number;
  /** Whether found definitions join the tools, so that everything behind them is written again. */
  readonly isSwapped: boolean;
}

/** Running means of an agent's conversations. */
export interface AgentMeans {
  /** Requests of a conversation. */
  readonly requests: number;
  /** Searches of a conversation whose tools are deferred. */
  readonly searches: number;
  /** Tools that a search finds. */
  readonly found: number;
  /** The share of requests, from 0 to 1, that find the prompt's head in the cache; undefined if nothing is cached. */
  readonly cachedHead: number | undefined;
  /** The share of the earlier history that they find there. */
  readonly cachedHistory: number;
  /** Whether its latest conversation deferred; undefined for the first one. */
  readonly isDeferring: boolean | undefined;
}

/** Tokens that a request adds to the history, and those of its response; tokens of a search besides definitions. */
const ADDED = 600;
const RESPONSE = 120;
const SEARCH = { prompt: 250, response: 60 };

/** Conversations over which the price of a change of mind is spread: those that weigh most in the means. */
const CONVERSATIONS_PER_CHANGE = 20;

/**
 * Returns the expected bill of a conversation with deferred tools, as a share of the bill with all tools.
 *
 * With R requests and S searches, prices relative to plain input, `h` for a token of the head and `t` for one of the
 * history that an earlier prompt had:
 *
 *   direct   = R · (h · (head + freed) + t · history) + R · (added · written + response · output)
 *   deferred = R · (h · head           + t · history) + R · (added · written + response · output)
 *            + preloaded · (written + t · (R − 1))
 *            + S · (h · head + t · (history + preloaded) + searchResponse · output)
 *            + S · (found + 250) · (written + t · (R + S) / 2)
 *
 * where `history` is half of what R requests add. The third line is the prompt that a search reads once more, and the
 * fourth what it finds, which half of all requests and searches read again. `h` and `t` lie between `cached` and
 * `written`, by the shares that the cache holds: servers that share no cache all hold the head soon, and each only a
 * part of a history. They are 1 for prompts below the provider's minimum, and all prices of input are 1 where nothing
 * is cached. A change of mind writes the other head once, which is spread over 20 conversations.
 *
 * Example: 9,000 tokens stay, 16,000 are freed, 1,000 preloaded and 1,200 found; R = 10, S = 1, prices .1, 1.25 and 5.
 * Direct 10 · .1 · 28,000 + 10 · 1,350 = 41,500; deferred 10 · .1 · 12,000 + 10 · 1,350 + 2,150 + 1,600 + 2,610 =
 * 31,860: a share of .77.
 */
export function expectedBill(
  { head, freed, preloaded, found, isSwapped }: PromptSizes,
  { requests, searches, cachedHead, cachedHistory, isDeferring }: Omit<AgentMeans, 'found'>,
  ratios: PriceRatios,
): number {
  const isCached = cachedHead !== undefined;
  const written = isCached ? ratios.written : 1;
  const history = (ADDED * requests) / 2;
  const pricesOf = (prompt: number) => {
    const short = Math.min(1, Math.max(0, (ratios.minimum - prompt) / ADDED) / requests);
    return [cachedHead, cachedHistory].map((share = 0) => {
      const usual = isCached ? share * ratios.cached + (1 - share) * written : 1;
      return usual + (Math.max(usual, 1) - usual) * short;
    }) as [head: number, history: number];
  };
  const changeTo = (heads: number, price: number) =>
    (heads * Math.max(0, written - price)) / CONVERSATIONS_PER_CHANGE;
  const [headOfAll, historyOfAll] = pricesOf(head + freed);
  const [headPrice, historyPrice] = pricesOf(head + preloaded);
  const same = requests * (ADDED * written + RESPONSE * ratios.output);
  const direct = requests * (headOfAll * (head + freed) + historyOfAll * history) + same;
  const kept = requests * (headPrice * head + historyPrice * history) + same;
  const brought = preloaded * (written + historyPrice * (requests - 1));
  const prompt = isSwapped
    ? written * (head + history + preloaded)
    : headPrice * head + historyPrice * (history + preloaded);
  const loaded = (found + SEARCH.prompt) * (written + (historyPrice * (requests + searches)) / 2);
  const deferred = kept + brought + searches * (prompt + SEARCH.response * ratios.output + loaded);
  return (
    (deferred + (isDeferring === false ? changeTo(head, headPrice) : 0)) /
    (direct + (isDeferring === true ? changeTo(head + freed, headOfAll) : 0))
  );
}

/** Ratios of models without a price, by the vendor whose format they speak. */
const USUAL: PriceRatios = { cached: 0.1, written: 1, output: 5, minimum: 1_024 };
const USUAL_OF: Readonly<Record<string, Partial<PriceRatios>>> = {
  anthropic: { written: 1.25 },
  bedrock: { written: 1.25 },
  openai: { output: 6 },
  gemini: { output: 6, minimum: 4_096 },
};

/** The parts in front of and behind a model's name: a path, a cloud's region and vendor; a version. */
const ADDED_BY_CLOUDS = /^(?:.*\/)?(?:[a-z][a-z-]*\.)*|(?:-v\d+)?(?::\w+)?$|@.*$/g;

/** Longest name that is looked at, in characters: clients may write anything into it. */
const MOST_NAME_CHARS = 256;

/**
 * Returns the ratios of a model by its price, also under the longer name that a gateway or a cloud gives it;
 * otherwise the usual ones of the vendor's format.
 */
export function ratiosOf(table: PriceTable, model: string | undefined, vendor: string): PriceRatios {
  const usual = { ...USUAL, ...USUAL_OF[vendor] };
  const name = model?.slice(0, MOST_NAME_CHARS);
  const price = priceOf(table, name) ?? priceOf(table, name?.replace(ADDED_BY_CLOUDS, ''));
  if (price === undefined || price.input === 0) return usual;
  const { input, cachedInput, cacheWrite, output, cacheMinimum } = price;
  return {
    cached: cachedInput === undefined ? usual.cached : cachedInput / input,
    written: (cacheWrite ?? input) / input,
    output: output / input,
    minimum: cacheMinimum ?? usual.minimum,
  };
}
