import { sse } from '../../src/framing/sse.ts';
import { gemini } from '../../src/gemini/gemini.ts';
import type { RequestView } from '../../src/index.ts';
import { SEARCH } from '../format-fixtures.ts';
import { type ExchangeRun, planOf, runExchange, viewOf } from '../run-exchange.ts';
import type { Json } from './read-generation.ts';

export const STREAM_PATH = '/v1beta/models/gemini-3-pro-preview:streamGenerateContent';
export const PATH = '/v1beta/models/gemini-3-pro-preview:generateContent';

/** A question, and two functions. */
export const REQUEST = {
  contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }],
  tools: [{ functionDeclarations: [{ name: 'weather_get' }, { name: 'mail_send' }] }],
};

/** Returns the view of a request, for a stream by default. */
export function view(more: object = {}, path = STREAM_PATH): RequestView {
  return viewOf(gemini, JSON.stringify({ ...REQUEST, ...more }), path);
}

/** Returns the client's events for these rounds, each a list of chunks. */
export function streamChunks(rounds: readonly (readonly object[])[], defer = ['weather_get', 'mail_send']) {
  const streams = rounds.map((chunks) => ({
    stream: chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join(''),
    whole: '',
  }));
  return runExchange(gemini, view(), streams, planOf(defer), sse);
}

/** Returns the client's response for these rounds, each a whole response. */
export function joinWholes(rounds: readonly object[]): ExchangeRun {
  const wholes = rounds.map((body) => ({ stream: '', whole: JSON.stringify(body) }));
  return runExchange(gemini, view({}, PATH), wholes, planOf(['weather_get']), sse);
}

/** Returns the client's chunks. */
export function chunksOf({ text }: Pick<ExchangeRun, 'text'>): Json[] {
  const events = text.split(/(?:\r\n|\n){2}/).filter((event) => event.startsWith('data: '));
  return events.map((event) => JSON.parse(event.slice('data: '.length)) as Json);
}

/** Returns the client's parts. */
export function partsOf(run: Pick<ExchangeRun, 'text'>): Json[] {
  return chunksOf(run).flatMap((one) => partsIn(one));
}

/** Returns the parts of a response. */
export function partsIn({ candidates }: Json): Json[] {
  const [candidate] = (candidates ?? []) as { content?: { parts?: Json[] } }[];
  return candidate?.content?.parts ?? [];
}

/** Returns a response, or a chunk of one, with these parts. */
export function chunk(parts: readonly object[], more: object = {}, root: object = {}): object {
  const candidate = { content: { parts, role: 'model' }, ...more, index: 0 };
  return { candidates: [candidate], modelVersion: 'gemini-3-pro-preview', responseId: 'r1', ...root };
}

export const STOP = { finishReason: 'STOP' };

/** Returns the chunk that ends a response. */
export function stop(root: object = {}): object {
  return chunk([{ text: '' }], STOP, root);
}

/** A search in one part. */
export function search(query = 'weather', more: object = {}): object {
  return { functionCall: { name: SEARCH, args: { query } }, ...more };
}
