import { hash } from 'node:crypto';
import { groupsLeftOut, type Tool } from '@winnow/core';
import {
  buildInTurns,
  type Catalogue,
  chooseTools,
  findTools,
  type Match,
  type Pause,
} from '@winnow/ranking';
import { RecentMap } from '@winnow/service';
import { type RequestView, rememberBy, type ToolSection } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import { STRATEGIES } from './index.ts';
import { type Deferrable, deferrableTools, type KeepRules } from './never-defer.ts';
import { openingRequest } from './opening-request.ts';
import { hasTooManyTools } from './plan-request.ts';
import { learnTokens } from './relevance.ts';
import { BYTES_PER_TOKEN, hasFewTools, type SavingRules, savesLittle } from './saving-rules.ts';
import { CANDIDATES_EACH, type LoadCandidate, typicalSizeOf, worthLoading } from './worth-loading.ts';

/**
 * Chooses the tools that a conversation shows from its start, by the words of its first message.
 *
 * Contract: deterministic for the same tools, system prompt and opening messages, so that every turn of a
 * conversation gets the same ones.
 */
export type Preload = (view: RequestView) => Promise<Preloaded>;

/** The tools to preload, and the groups of the next matches. */
interface Preloaded {
  /**
   * Names of tools of a search with a certain match, best first, none of them with a definition of over
   * {@link MAX_TOKENS} tokens.
   */
  readonly names: readonly string[];
  /** The groups that match as well, if the search tool does not name all. */
  readonly groups: readonly string[];
}

export interface PreloadOptions extends KeepRules, SavingRules, PreloadParts {
  /** Maximum number of tools; 0 for none. */
  readonly limit: number;
}

/** Parts that preloads with different settings share. */
export interface PreloadParts {
  /** Indexes of lists of tools; new ones by default. */
  readonly indexes?: PreloadIndexes;
  /** Yields to other work between two slices of indexing. */
  readonly pause: Pause;
}

/**
 * Creates the preload for the settings; it returns names only if the model can search for other tools. For
 * `relevance`, it prepares the tools instead.
 */
export function preloadOf(settings: Settings, parts: PreloadParts): Preload {
  if (settings['tools.strategy'] === 'relevance') return (view) => prepareRelevance(view, parts.pause);
  if (STRATEGIES[settings['tools.strategy']].search === undefined) return NO_PRELOAD;
  return createPreload({
    limit: settings['tools.preload'],
    alwaysKeep: settings['tools.always_keep'],
    maxNamed: settings['tools.max_tools'],
    minTools: settings['tools.min_tools'],
    minDeferredTokens: settings['tools.min_deferred_tokens'],
    ...parts,
  });
}

const NOTHING: Preloaded = { names: [], groups: [] };

/** Preloads nothing. */
export const NO_PRELOAD: Preload = async () => NOTHING;

async function prepareRelevance(view: RequestView, pause: Pause): Promise<Preloaded> {
  if (!hasTooManyTools(view)) await learnTokens(view.tools, pause);
  return NOTHING;
}

/**
 * Ranks the deferrable tools by the user's first request.
 *
 * The first request with a list of tools indexes it in slices, at about 20 µs per tool. Another conversation
 * with the same tools costs one search; its later turns cost a hash of the message.
 */
export function createPreload({
  limit,
  pause,
  indexes = new PreloadIndexes(pause),
  ...rules
}: PreloadOptions): Preload {
  const known = new WeakMap<Deferrable, RecentMap<string, Preloaded>>();
  const openingOf = (view: RequestView): Opening | undefined => {
    const { toolSection: section } = view;
    if (limit === 0 || section === undefined) return undefined;
    if (hasFewTools(section, rules) || hasTooManyTools(view)) return undefined;
    const query = openingRequest(view.openingTexts);
    const deferrable = deferrableTools(view, rules);
    const { names, bytes } = deferrable;
    if (query === '' || names.length === 0 || savesLittle(bytes, rules)) return undefined;
    const choose: Opening['choose'] = (matches) => {
      const { sizes, typicalSize } = loadable(section, deferrable);
      const candidates = matches.map((match) => ({ ...match, size: sizes.get(match.name)! }));
      return affordable(worthLoading(candidates.filter(isLoadable), { most: limit, typicalSize }), sizes);
    };
    return { query, limit: limit * CANDIDATES_EACH, choose, section, deferrable };
  };
  return async (view) => {
    const opening = openingOf(view);
    if (opening === undefined) return NOTHING;
    const { query: pattern, limit: topK, choose, section, deferrable } = opening;
    const results = known.get(deferrable) ?? new RecentMap<string, Preloaded>(MAX_REQUESTS);
    known.set(deferrable, results);
    const key = hashOf(pattern);
    const before = results.get(key);
    if (before !== undefined) return before;
    const catalogue = await indexes.of(section);
    const { excluded } = loadable(section, deferrable);
    const query = {
      pattern,
      limit: topK,
      searchType: 'keyword',
      excluded,
      needsCertaintyOnly: true,
    } as const;
    const { hits, certainty } = await findTools(catalogue, query, pause);
    const matches = hits.map((hit) => ({ ...hit, name: catalogue.table.name(hit.position) }));
    const preloaded = certainty === 'found' ? toPreloaded(matches) : NOTHING;
    results.set(key, preloaded);
    return preloaded;

    function toPreloaded(found: readonly Match[]): Preloaded {
      const chosen = chooseTools(found, [], topK).chosen;
      const names = choose(chosen);
      const rest = chosen.map(({ name }) => name).filter((name) => !names.includes(name));
      return { names, groups: loadable(section, deferrable).groupsOf(rest) };
    }
  };
}

/** A search for the tools to preload. */
interface Opening {
  /** The user's request. */
  readonly query: string;
  /** Number of matches to find. */
  readonly limit: number;
  /** Returns the matches to preload, by their relevance as shares of the best one's. */
  choose(matches: readonly Omit<LoadCandidate, 'size'>[]): readonly string[];
  readonly section: ToolSection;
  readonly deferrable: Deferrable;
}

/** Maximum number of conversations with cached names per list of tools. */
const MAX_REQUESTS = 1_000;

/** Maximum number of cached indexes, and their total memory by their own count. */
const MAX_CATALOGUES = 64;
const MAX_CATALOGUE_BYTES = 32 * 1024 * 1024;

/** The indexes of the most recently used lists of tools, each built once. */
export class PreloadIndexes {
  readonly #pause: Pause;
  readonly #built = new RecentMap<string, Catalogue>(MAX_CATALOGUES, {
    most: MAX_CATALOGUE_BYTES,
    weigh: (_, { bytes }) => bytes,
  });
  readonly #building = new Map<string, Promise<Catalogue>>();

  constructor(pause: Pause) {
    this.#pause = pause;
  }

  async of(section: ToolSection): Promise<Catalogue> {
    const id = idOf(section);
    const built = this.#built.get(id);
    if (built !== undefined) return built;
    const building = this.#building.get(id) ?? this.#build(id, section);
    this.#building.set(id, building);
    return building;
  }

  async #build(id: string, section: ToolSection): Promise<Catalogue> {
    try {
      const catalogue = await buildInTurns(toolsOf(section), this.#pause);
      this.#built.set(id, catalogue);
      return catalogue;
    } finally {
      this.#building.delete(id);
    }
  }
}

/** Positions in the index are places in this list. */
const toolsOf = rememberBy(({ entries }: ToolSection): readonly Tool[] => {
  const seen = new Set<string>();
  return entries.flatMap(({ kind, name, description, definition }) => {
    if (kind !== 'function' || name === undefined || seen.has(name)) return [];
    seen.add(name);
    return { name, description, definition: definition as Record<string, unknown> };
  });
});

/** Returns the id of a list of tools: equal for equal lists only. */
export const idOf = rememberBy(({ entries, text }: ToolSection) =>
  hashOf(JSON.stringify([entries.map(({ kind, name, description }) => [kind, name, description]), text])),
);

/** Maximum number of tokens of a definition that stays in every request without having been asked for. */
const MAX_TOKENS = 2_000;

/**
 * Maximum number of tokens of all preloaded definitions. Written once and read in the requests that follow, they cost
 * some 2.3 times their tokens; a search costs some 4,800 tokens where cached input is at a tenth, and 3,500 at a
 * twentieth, and preloading spares one in about two of three conversations.
 */
const MOST_PRELOADED_TOKENS = 1_500;

/** Returns the first names whose definitions fit together; the best one always does. */
function affordable(names: readonly string[], sizes: ReadonlyMap<string, number>): readonly string[] {
  let bytes = 0;
  const end = names.findIndex((name, at) => {
    bytes += sizes.get(name)!;
    return at > 0 && bytes > MOST_PRELOADED_TOKENS * BYTES_PER_TOKEN;
  });
  return end < 0 ? names : names.slice(0, end);
}

function isLoadable({ size }: Pick<LoadCandidate, 'size'>): boolean {
  return size <= MAX_TOKENS * BYTES_PER_TOKEN;
}

/** The deferrable tools of a list as preloading sees them. */
const loadable = rememberBy((section: ToolSection, { names }: Deferrable) => {
  const isDeferrable = new Set(names);
  const sizes = new Map<string, number>();
  for (const { name, text } of section.entries) {
    if (name !== undefined && isDeferrable.has(name) && !sizes.has(name)) sizes.set(name, text.length);
  }
  const isExcluded = (name: string) => !isLoadable({ size: sizes.get(name) ?? Infinity });
  return {
    sizes,
    typicalSize: typicalSizeOf(sizes.values()),
    groupsOf: groupsLeftOut(names),
    /** By position in the index. */
    excluded: Uint8Array.from(toolsOf(section), ({ name }) => (isExcluded(name) ? 1 : 0)),
  };
});

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
