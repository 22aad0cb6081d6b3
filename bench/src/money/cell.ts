import type { ClientName } from './clients.ts';

/** A way to load deferred tools, with the settings that choose it. */
export interface MoneyMode {
  readonly name: string;
  readonly client: ClientName;
  readonly model: string;
  readonly settings: Readonly<Record<string, string>>;
}

const load = (mode: 'native' | 'bridge' | 'swap') => ({
  PROXY_UPSTREAMS_ANTHROPIC_LOAD: mode,
  PROXY_UPSTREAMS_OPENAI_LOAD: mode,
});

/** Every measured mode. A further load mode is one more entry. */
export const MODES: readonly MoneyMode[] = [
  { name: 'Messages, native', client: 'messages', model: 'claude-opus-5', settings: load('native') },
  { name: 'Messages, bridge', client: 'messages', model: 'claude-opus-5', settings: load('bridge') },
  { name: 'Messages, swap', client: 'messages', model: 'claude-opus-5', settings: load('swap') },
  { name: 'Chat, bridge', client: 'chat', model: 'gpt-5.4', settings: load('bridge') },
  { name: 'Chat, swap', client: 'chat', model: 'gpt-5.4', settings: load('swap') },
  { name: 'Responses, native', client: 'responses', model: 'gpt-5.4', settings: load('native') },
  { name: 'Responses, bridge', client: 'responses', model: 'gpt-5.4', settings: load('bridge') },
];

/** The ways to treat conversations that are compared. */
export type Arm = 'pass' | 'defer' | 'auto';

/** One combination to measure. */
export interface MoneyCell {
  readonly mode: MoneyMode;
  readonly tools: number;
  /** Tokens of the system prompt. */
  readonly system: number;
  /** Whether conversations follow each other within the lifetime of the cache. */
  readonly isWarm: boolean;
  /** Price of cached input, as a share of plain input. */
  readonly cachedInput: number;
}

/**
 * Returns the cells of the default run: a warm cache at a tenth with each number of tools, a cold one, and none;
 * for the first mode, other prices and a short system prompt, too.
 */
export function usualCells(modes: readonly MoneyMode[]): MoneyCell[] {
  return modes.flatMap((mode, at) => {
    const usual = { mode, isWarm: true, cachedInput: 0.1, tools: 100, system: 15_000 };
    const priced = (prices: readonly number[]) => prices.map((cachedInput) => ({ ...usual, cachedInput }));
    return [
      ...[50, 100, 200, 500].map((tools) => ({ ...usual, tools })),
      { ...usual, isWarm: false },
      ...priced([NO_CACHE]),
      ...(at === 0 ? [...priced([0.025, 0.05, 0.25]), { ...usual, system: 1_500 }] : []),
    ];
  });
}

/** The price of cached input, as a share of plain input, where a cache saves nothing. */
export const NO_CACHE = 1;

/** Returns every combination. */
export function allCells(modes: readonly MoneyMode[]): MoneyCell[] {
  return modes.flatMap((mode) =>
    [20, 50, 100, 200, 500].flatMap((tools) =>
      [1_500, 6_000, 15_000, 30_000].flatMap((system) =>
        [true, false].flatMap((isWarm) =>
          [0.025, 0.05, 0.1, 0.25, NO_CACHE].map((cachedInput) => ({
            mode,
            tools,
            system,
            isWarm,
            cachedInput,
          })),
        ),
      ),
    ),
  );
}
