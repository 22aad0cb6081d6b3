import { ANSWER_TEXT } from './answer-text.ts';
import {
  CONVERSE_STREAM,
  CONVERSE_WHOLE,
  converseSearch,
  EVENT_STREAM,
  INVOKE_STREAM,
  invokeSearch,
} from './bedrock-answers.ts';
import { GEMINI_STREAM, GEMINI_WHOLE, geminiSearch } from './gemini-answers.ts';
import { INTERACTIONS_STREAM, INTERACTIONS_WHOLE, interactionsSearch } from './interactions-answers.ts';
import { MESSAGES_STREAM, MESSAGES_WHOLE, messagesSearch } from './messages-answers.ts';
import { OLLAMA_STREAM, OLLAMA_WHOLE, ollamaSearch } from './ollama-answers.ts';
import type { BenchFormat } from './requests.ts';
import { RESPONSES_STREAM, RESPONSES_WHOLE, responsesSearch } from './responses-answers.ts';

/** Responses of the bench's upstream, in the shape of OpenAI Chat Completions unless stated otherwise. */

/** The responses of one format. */
export interface BenchAnswers {
  /** A whole text response. */
  readonly whole: Buffer;
  /** The same response as the events of a stream, written one by one. */
  readonly stream: readonly Buffer[];
  /** A response that searches for tools, as the events of a stream. */
  readonly search: (query: string) => Buffer[];
  /** The content type of the stream; default: server-sent events. */
  readonly streamType?: string;
}

const ANSWER = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench-1' };
const TEXT_PIECES = 20;
const PIECE = `${ANSWER_TEXT} some words of an answer. `;

/** A whole text response. */
const WHOLE_ANSWER: Buffer = Buffer.from(
  JSON.stringify({
    ...ANSWER,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: PIECE.repeat(TEXT_PIECES), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 140, total_tokens: 240 },
  }),
);

/** A response with this number of pieces of text, as the events of a stream, written one by one. */
function streamOf(pieces: number): readonly Buffer[] {
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...Array.from({ length: pieces }, () => chunk({ content: PIECE })),
    chunk({}, 'stop'),
    event('[DONE]'),
  ];
}

const LONG_PIECES = 1_000;

/** A stream of 1,000 pieces of text in Chat Completions. */
export const LONG_ANSWER = streamOf(LONG_PIECES);

/** A response that searches for tools, as the events of a stream. */
function streamedSearch(query: string): Buffer[] {
  const call = { index: 0, id: 'call_bench', type: 'function' };
  const [name, written] = ['gateway_search_tools', JSON.stringify({ query })];
  return [
    chunk({ role: 'assistant', content: null, tool_calls: [{ ...call, function: { name, arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: written } }] }),
    chunk({}, 'tool_calls'),
    event('[DONE]'),
  ];
}

function chunk(delta: object, finishReason: string | null = null): Buffer {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return event(JSON.stringify({ ...ANSWER, object: 'chat.completion.chunk', choices }));
}

function event(data: string): Buffer {
  return Buffer.from(`data: ${data}\n\n`);
}

/** The responses of every format. */
export const ANSWERS: Readonly<Record<BenchFormat, BenchAnswers>> = {
  'openai-chat': { whole: WHOLE_ANSWER, stream: streamOf(TEXT_PIECES), search: streamedSearch },
  'openai-responses': { whole: RESPONSES_WHOLE, stream: RESPONSES_STREAM, search: responsesSearch },
  'anthropic-messages': { whole: MESSAGES_WHOLE, stream: MESSAGES_STREAM, search: messagesSearch },
  gemini: { whole: GEMINI_WHOLE, stream: GEMINI_STREAM, search: geminiSearch },
  'gemini-interactions': {
    whole: INTERACTIONS_WHOLE,
    stream: INTERACTIONS_STREAM,
    search: interactionsSearch,
  },
  'ollama-chat': {
    whole: OLLAMA_WHOLE,
    stream: OLLAMA_STREAM,
    search: ollamaSearch,
    streamType: 'application/x-ndjson',
  },
  'bedrock-converse': {
    whole: CONVERSE_WHOLE,
    stream: CONVERSE_STREAM,
    search: converseSearch,
    streamType: EVENT_STREAM,
  },
  'anthropic-bedrock': {
    whole: MESSAGES_WHOLE,
    stream: INVOKE_STREAM,
    search: invokeSearch,
    streamType: EVENT_STREAM,
  },
};
