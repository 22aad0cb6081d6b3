import { deferredEntries, type HiddenTurn, type Plan, type RequestView } from '@winnow/wire';

/** A native round and its cost. */
export interface NativeRound {
  readonly view: RequestView;
  readonly plan: Plan;
  readonly hiddenTurns: readonly HiddenTurn[];
  /** All input of the model, including cached tokens. */
  readonly inputTokens: number;
}

/** Lower bound of bytes per token for any text, apart from the provider's own additions. */
const FEWEST_BYTES_PER_TOKEN = 2;
/** Upper bound of bytes per token for definitions. */
const MOST_BYTES_PER_TOKEN = 6;
/** Allowance for the provider's additions for tools, and for estimation errors. */
const SLACK_TOKENS = 2_000;

/**
 * Whether a round's input is too large for the visible tools and large enough for the deferred ones, too.
 * Only for pure text: images, documents and the provider's own tools have more tokens than their bytes
 * suggest.
 */
export function isBilledAllTheSame({ view, plan, hiddenTurns, inputTokens }: NativeRound): boolean {
  if (!isText(view)) return false;
  const deferred = deferredEntries(view, plan);
  // Tools loaded by a hidden turn or preloaded are billed correctly.
  const loaded = new Set([...plan.load, ...hiddenTurns.flatMap(({ names }) => names)]);
  let deferredBytes = 0;
  for (const { name, text } of deferred) if (!loaded.has(name!)) deferredBytes += text.length;
  const hiddenBytes = JSON.stringify(hiddenTurns).length;
  const shownBytes = view.bytes.length - deferredBytes + hiddenBytes;
  const mostShown = shownBytes / FEWEST_BYTES_PER_TOKEN + SLACK_TOKENS;
  return inputTokens > mostShown && inputTokens > deferredBytes / MOST_BYTES_PER_TOKEN;
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
]);

function isText({ tools, history }: RequestView): boolean {
  if (tools.some(({ kind }) => kind === 'other')) return false;
  return history.every((message) => areTexts((message as { content?: unknown }).content));
}

function areTexts(content: unknown): boolean {
  if (!Array.isArray(content)) return true;
  return content.every((part: { type?: unknown; content?: unknown } | null) =>
    part === null || typeof part !== 'object' ? true : TEXT_TYPES.has(part.type) && areTexts(part.content),
  );
}
