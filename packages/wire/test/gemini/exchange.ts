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

/** A request as it is read; for a stream unless told otherwise. */
export function view(more: object = {}, path = STREAM_PATH): RequestView {
  return viewOf(gemini, JSON.stringify({ ...REQUEST, ...more }), path);
}

/** What a client gets of these rounds, each a list of chunks. */
export function streamChunks(rounds: readonly (readonly object[])[], defer = ['weather_get', 'mail_send']) {
  const streams = rounds.map((chunks) => ({
    stream: chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join(''),
    whole: '',
  }));
  return runExchange(gemini, view(), streams, planOf(defer), sse);
}

/** What a client gets of these rounds, each a whole response. */
export function joinWholes(rounds: readonly object[]): ExchangeRun {
  const wholes = rounds.map((body) => ({ stream: '', whole: JSON.stringify(body) }));
  return runExchange(gemini, view({}, PATH), wholes, planOf(['weather_get']), sse);
}

/** The chunks that a client got. */
export function chunksOf({ text }: Pick<ExchangeRun, 'text'>): Json[] {
  const events = text.split(/(?:\r\n|\n){2}/).filter((event) => event.startsWith('data: '));
  return events.map((event) => JSON.parse(event.slice('data: '.length)) as Json);
}

/** The parts that a client got. */
export function partsOf(run: Pick<ExchangeRun, 'text'>): Json[] {
  return chunksOf(run).flatMap((one) => partsIn(one));
}

/** The parts of a response. */
export function partsIn({ candidates }: Json): Json[] {
  const [candidate] = (candidates ?? []) as { content?: { parts?: Json[] } }[];
  return candidate?.content?.parts ?? [];
}

/** A response, or a chunk of one, with these parts. */
export function chunk(parts: readonly object[], more: object = {}, root: object = {}): object {
  const candidate = { content: { parts, role: 'model' }, ...more, index: 0 };
  return { candidates: [candidate], modelVersion: 'gemini-3-pro-preview', responseId: 'r1', ...root };
}

export const STOP = { finishReason: 'STOP' };

/** The chunk that ends a response. */
export function stop(root: object = {}): object {
  return chunk([{ text: '' }], STOP, root);
}

/** A search in one part. */
export function search(query = 'weather', more: object = {}): object {
  return { functionCall: { name: SEARCH, args: { query } }, ...more };
}
