import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';

/**
 * The way in which a server that speaks Chat Completions sends reasoning, and what it demands or refuses on the way
 * back. The sources stand in `docs/internals/wire-formats/openai.md`.
 */
interface ChatDialectRules {
  /** Returns the deltas of a thought, which arrives in these pieces. */
  readonly deltas: (pieces: readonly string[]) => readonly JsonObject[];
  /** Returns the members of a whole message with this thought. `own` is its text, and null without one. */
  readonly whole: (thought: string, own: string | null) => JsonObject;
  /** Members that the first call of a response has. */
  readonly firstCall?: JsonObject;
  /** The only members that the server takes in an assistant's message; any by default. */
  readonly members?: readonly string[];
  /** Returns the words in which the server refuses an assistant's message; undefined for a valid one. */
  readonly fault?: (message: JsonObject) => string | undefined;
  /** The status of a refusal; 400 by default. */
  readonly status?: number;
}

/** Returns the signature of a thought. It fits no other text. */
function seal(thought: string): string {
  return `SIG(${createHash('sha256').update(thought).digest('hex').slice(0, 16)})`;
}

const SEALS = /^SIG\([0-9a-f]{16}\)$/;

/** Reasoning in plain text, which no server checks. */
function plain(member: string, more: Partial<ChatDialectRules> = {}): ChatDialectRules {
  return {
    deltas: (pieces) => pieces.map((piece) => ({ [member]: piece })),
    whole: (thought) => ({ [member]: thought }),
    ...more,
  };
}

/** Blocks of reasoning that are signed by their last piece. */
function signed(
  field: string,
  { type, text, more = {} }: { type: string; text: string; more?: JsonObject },
): Pick<ChatDialectRules, 'deltas' | 'whole'> {
  return {
    deltas: (pieces) => [
      ...pieces.map((piece) => ({ [field]: [{ type, [text]: piece, ...more }] })),
      {
        [field]: [
          { type, ...(type === 'thinking' && { [text]: '' }), signature: seal(pieces.join('')), ...more },
        ],
      },
    ],
    whole: (thought) => ({ [field]: [{ type, [text]: thought, signature: seal(thought), ...more }] }),
  };
}

function findUnsigned(blocks: unknown, text: string): JsonObject | undefined {
  return objectsOf(blocks).find((block) => block.signature !== seal(String(block[text] ?? '')));
}

/** Demands a string of reasoning next to calls, be it empty. */
const demandsReasoning = (message: JsonObject) =>
  Array.isArray(message.tool_calls) && typeof message.reasoning_content !== 'string'
    ? 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    : undefined;

const partsOf = (content: unknown) => (Array.isArray(content) ? objectsOf(content) : []);

/** The dialects of Chat Completions. */
export const CHAT_DIALECTS = {
  'OpenRouter, text': {
    ...signed('reasoning_details', {
      type: 'reasoning.text',
      text: 'text',
      more: { format: 'anthropic-claude-v1', index: 0 },
    }),
    fault: ({ reasoning_details: details }) =>
      findUnsigned(details, 'text') && 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  'OpenRouter, encrypted': {
    deltas: (pieces) => [
      ...pieces.map((summary) => ({
        reasoning_details: [{ type: 'reasoning.summary', summary, format: 'openai-responses-v1', index: 0 }],
      })),
      {
        reasoning_details: [
          {
            ...{
              type: 'reasoning.encrypted',
              data: seal(pieces.join('')),
              id: `rs_${seal(pieces.join('')).slice(4, 12)}`,
            },
            ...{ format: 'openai-responses-v1', index: 0 },
          },
        ],
      },
    ],
    whole: (thought) => ({
      reasoning_details: [
        { type: 'reasoning.summary', summary: thought, format: 'openai-responses-v1', index: 0 },
        {
          type: 'reasoning.encrypted',
          data: seal(thought),
          id: `rs_${seal(thought).slice(4, 12)}`,
          index: 0,
        },
      ],
    }),
    fault: ({ reasoning_details: details }) => {
      const encrypted = objectsOf(details).filter(({ type }) => type === 'reasoning.encrypted');
      return encrypted.every(({ data }) => SEALS.test(String(data)))
        ? undefined
        : 'invalid_encrypted_content';
    },
  },
  'LiteLLM, unnumbered': {
    ...signed('thinking_blocks', { type: 'thinking', text: 'thinking' }),
    fault: ({ thinking_blocks: blocks }) =>
      (findUnsigned(blocks, 'thinking') && 'messages.1.content.0: Invalid `signature` in `thinking` block') ??
      (objectsOf(blocks).some((block) => 'index' in block)
        ? 'messages.1.content.0.thinking.index: Extra inputs are not permitted'
        : undefined),
  },
  'LiteLLM, numbered': {
    ...signed('thinking_blocks', { type: 'thinking', text: 'thinking', more: { index: 0 } }),
    whole: signed('thinking_blocks', { type: 'thinking', text: 'thinking' }).whole,
    // LiteLLM itself takes the numbers of its own deltas.
    fault: ({ thinking_blocks: blocks }) =>
      findUnsigned(blocks, 'thinking') && 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  'Gemini’s endpoint': {
    ...plain('reasoning_content'),
    firstCall: { extra_content: { google: { thought_signature: seal('call') } } },
    fault: ({ tool_calls: calls }) => {
      const [first] = objectsOf(calls);
      const google = isJsonObject(first?.extra_content) ? first.extra_content.google : undefined;
      const isSigned = isJsonObject(google) && SEALS.test(String(google.thought_signature));
      return first === undefined || isSigned ? undefined : 'Function call is missing a thought_signature.';
    },
  },
  DeepSeek: plain('reasoning_content', { fault: demandsReasoning }),
  Kimi: plain('reasoning_content', {
    fault: (message) =>
      demandsReasoning(message) &&
      'thinking is enabled but reasoning_content is missing in assistant tool call message',
  }),
  vLLM: plain('reasoning'),
  SGLang: plain('reasoning_content'),
  'llama.cpp': plain('reasoning_content', {
    status: 500,
    fault: ({ content, tool_calls: calls }) =>
      content || calls ? undefined : "Expected 'content' or 'tool_calls' in message",
  }),
  xAI: plain('reasoning_content'),
  Groq: plain('reasoning', {
    members: ['role', 'content', 'name', 'tool_calls', 'function_call', 'reasoning'],
  }),
  Mistral: {
    deltas: (pieces) => [
      ...pieces.map((text) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] })),
      { content: [{ type: 'thinking', thinking: [], signature: seal(pieces.join('')), closed: true }] },
    ],
    whole: (thought, own) => ({
      content: [
        {
          type: 'thinking',
          thinking: [{ type: 'text', text: thought }],
          signature: seal(thought),
          closed: true,
        },
        ...(own === null ? [] : [{ type: 'text', text: own }]),
      ],
    }),
    members: ['role', 'content', 'tool_calls', 'prefix'],
    status: 422,
    fault: ({ content }) => {
      const thoughts = partsOf(content).filter(({ type }) => type === 'thinking');
      const text = ({ thinking }: JsonObject) =>
        partsOf(thinking)
          .map((part) => part.text)
          .join('');
      return thoughts.every((part) => part.signature === seal(text(part)))
        ? undefined
        : 'Invalid signature in thinking chunk';
    },
  },
} as const satisfies Record<string, ChatDialectRules>;

/** The name of a dialect of Chat Completions. */
export type ChatDialect = keyof typeof CHAT_DIALECTS;

/** Returns the rules of a dialect; plain reasoning without one. */
export function dialectRules(dialect: ChatDialect | undefined): ChatDialectRules {
  return dialect === undefined ? plain('reasoning_content') : CHAT_DIALECTS[dialect];
}

/** Finds what a server refuses in the assistant's messages of a request. */
export function* findDialectFaults(body: JsonObject, dialect: ChatDialect): Generator<Rejection> {
  const { members, fault, status = 400 } = dialectRules(dialect);
  for (const [at, message] of objectsOf(body.messages).entries()) {
    if (message.role !== 'assistant') continue;
    const extra = members && Object.keys(message).find((member) => !members.includes(member));
    if (extra !== undefined) {
      const words =
        dialect === 'Mistral'
          ? `body.messages.${at}.assistant.${extra}: Extra inputs are not permitted`
          : `'messages.${at}' : for 'role:assistant' the following must be satisfied[('messages.${at}' : property '${extra}' is unsupported)]`;
      yield { status, message: words };
    }
    const words = fault?.(message);
    if (words !== undefined) yield { status, message: words };
  }
}
