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

/** Returns the cells of the default run: a warm cache at a tenth, and one cold row. */
export function usualCells(modes: readonly MoneyMode[]): MoneyCell[] {
  const usual = { isWarm: true, cachedInput: 0.1 };
  return modes.flatMap((mode, at) => [
    ...[50, 100, 200].map((tools) => ({ ...usual, mode, tools, system: 15_000 })),
    ...(at === 0
      ? [
          { ...usual, mode, tools: 500, system: 15_000 },
          { ...usual, mode, tools: 100, system: 1_500 },
          { ...usual, mode, tools: 100, system: 15_000, isWarm: false },
          { ...usual, mode, tools: 100, system: 15_000, cachedInput: 0.025 },
        ]
      : []),
  ]);
}

/** Returns every combination. */
export function allCells(modes: readonly MoneyMode[]): MoneyCell[] {
  return modes.flatMap((mode) =>
    [20, 50, 100, 200, 500].flatMap((tools) =>
      [1_500, 6_000, 15_000, 30_000].flatMap((system) =>
        [true, false].flatMap((isWarm) =>
          [0.025, 0.05, 0.1, 0.25, 1].map((cachedInput) => ({ mode, tools, system, isWarm, cachedInput })),
        ),
      ),
    ),
  );
}
