import { deferredEntries, type HiddenTurn, type Plan, type RequestView } from '@winnow/wire';

/** A native round, and what it has cost. */
export interface NativeRound {
  readonly view: RequestView;
  readonly plan: Plan;
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Everything that the model has read, what came from a cache included. */
  readonly inputTokens: number;
}

/** No text has more tokens for its bytes, apart from what a provider adds of its own. */
const FEWEST_BYTES_PER_TOKEN = 2;
/** Definitions have no more bytes for a token. */
const MOST_BYTES_PER_TOKEN = 6;
/** What a provider adds for tools, and what an estimate may be wrong by. */
const SLACK_TOKENS = 2_000;

/**
 * Whether a round's input cannot be what it shows the model, and is what it shows and defers. Only where all of it is text: pictures, documents
 * and tools of the provider's own have more tokens than bytes tell.
 */
export function isBilledAllTheSame({ view, plan, hiddenTurns, inputTokens }: NativeRound): boolean {
  if (!isText(view)) return false;
  const deferred = deferredEntries(view, plan);
  // What a hidden turn has loaded is rightly read again.
  const loaded = new Set(hiddenTurns.flatMap(({ names }) => names));
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
