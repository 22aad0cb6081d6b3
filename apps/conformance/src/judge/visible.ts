import { isJsonObject, type JsonObject } from '@winnow/testkit';
import type { StreamEvent } from './decode-stream.ts';

/** Members that differ between two rounds of one conversation, whatever a gateway does. */
const OF_ROUNDS = new Set([
  ...[
    'usage',
    'usageMetadata',
    'metrics',
    'prompt_eval_count',
    'eval_count',
    'amazon-bedrock-invocationMetrics',
  ],
  ...['created', 'created_at', 'completed_at', 'updated', 'responseId', 'createTime'],
  ...['signature', 'thoughtSignature', 'thought_signature', 'encrypted_content', 'obfuscation', 'p'],
  ...['sequence_number', 'input_transformations', 'reasoning_content', 'reasoning', 'reasoning_details'],
  ...['thinking_blocks', 'extra_content'],
  ...['thinking', 'request_id'],
  ...['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'],
  // A remark for developers.
  'finishMessage',
]);

const IS_THINKING =
  /^(?:thinking|redacted_thinking|reasoning|thought|thinking_delta|signature_delta|thought_signature)$/;

/**
 * Returns what a user sees of a response: without counts, times, thinking and signatures. Ids lose the mark of
 * the round that they come from.
 */
export function visiblePart(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isThinking(item)).map(visiblePart);
  if (typeof value === 'string') return value.replace(/r\d+$/, '').replace(/^(fc|msg)_[tn]/, '$1_');
  if (!isJsonObject(value)) return value;
  // Chat says null for a text that has not begun, or begins with an empty one.
  const kept = Object.entries(value).filter(
    ([key, member]) => !OF_ROUNDS.has(key) && !(key === 'content' && (member === null || member === '')),
  );
  return Object.fromEntries(kept.map(([key, member]) => [key, visiblePart(member)]));
}

/**
 * Returns the events of a stream that a user sees something of. Adjacent fragments of one text or of one call's
 * arguments are joined, because a gateway may cut them elsewhere.
 */
export function visibleEvents(events: readonly StreamEvent[]): unknown[] {
  const visible = events.flatMap(({ name, data }) => {
    const json = parse(data);
    if (name === 'ping' || (isJsonObject(json) && json.type === 'ping')) return [];
    return isAboutThinking(json) ? [] : [{ name, data: visiblePart(json) }];
  });
  const joined: unknown[] = [];
  for (const event of visible) {
    const both = joinFragments(joined.at(-1), event);
    if (both === undefined) joined.push(event);
    else joined[joined.length - 1] = both;
  }
  return joined;
}

/** Members that hold fragments of a longer text. */
const FRAGMENTS = /^(?:delta|text|content|arguments|partial_json|input)$/;

/** Returns two events as one if they differ in one fragment at most; undefined if they do not belong together. */
function joinFragments(first: unknown, second: unknown): unknown {
  const [left, right] = [first, second].map(fragmentIn);
  if (left === undefined || right === undefined || left.rest !== right.rest) return undefined;
  return JSON.parse(left.rest, (_, value) => (value === HOLE ? left.text + right.text : value));
}

const HOLE = '\u0000fragment';

/** Returns the only fragment in an event, and the event without it. */
function fragmentIn(event: unknown): { readonly text: string; readonly rest: string } | undefined {
  const texts: string[] = [];
  const rest = JSON.stringify(event, (key, value) => {
    if (typeof value !== 'string' || !FRAGMENTS.test(key)) return value;
    texts.push(value);
    return HOLE;
  });
  return texts.length === 1 ? { text: texts[0]!, rest } : undefined;
}

function isThinking(item: unknown): boolean {
  if (!isJsonObject(item)) return false;
  return IS_THINKING.test(String(item.type)) || item.thought === true || item.reasoningContent !== undefined;
}

function isAboutThinking(json: unknown): boolean {
  if (!isJsonObject(json)) return false;
  const inner = [json.item, json.delta, json.content_block, json.step].filter(isJsonObject) as JsonObject[];
  return inner.some(isThinking);
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
