import type { PastCall } from '@winnow/testkit';
import { type ClientAnswer, insist, type WireClient } from './wire-client.ts';

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly name: string; readonly args: unknown };
}

interface Generation {
  readonly responseId: string;
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly Part[] };
    readonly finishReason?: string;
  }[];
}

/**
 * Gemini's `generateContent`. Its calls have no ids, so the client derives ids from their names and order.
 */
export const GEMINI_CLIENT: WireClient = {
  path: '/v1beta/models',
  pathOf: ({ model, isStream }) =>
    `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  stops: { text: 'STOP', calls: 'STOP' },
  headers: ({ credential, isNamed, number }) => ({
    'x-goog-api-key': credential,
    ...(isNamed && { 'x-winnow-session': `gemini-${number}` }),
  }),
  writeBody({ catalogue, thinking }, history) {
    const config = thinking && { generationConfig: { thinkingConfig: { includeThoughts: true } } };
    const head = JSON.stringify({ ...config, contents: history }).slice(0, -1);
    return `${head},"tools":[{"functionDeclarations":${catalogue.json.gemini}}]}`;
  },
  writeUser: (text) => ({ role: 'user', parts: [{ text }] }),
  writeResults: (results) => [
    {
      role: 'user',
      parts: results.map(({ callId, text }) => ({
        functionResponse: { name: callId.slice(0, callId.lastIndexOf('#')), response: { output: text } },
      })),
    },
  ],
  identify(calls, turns) {
    const named = turns
      .flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []))
      .map(({ name }) => name);
    return calls.map((call): PastCall => {
      const before = named.filter((name) => name === call.name).length;
      named.push(call.name);
      return { ...call, id: `${call.name}#${before}` };
    });
  },
  readStream(texts) {
    const chunks = texts.map((text) => JSON.parse(text) as Generation);
    const id = chunks[0]?.responseId ?? '';
    insist(
      chunks.every(({ responseId }) => responseId === id),
      'the id changes within the stream',
    );
    const candidates = chunks.flatMap((chunk) => chunk.candidates);
    const stops = candidates.flatMap(({ finishReason }) => finishReason ?? []);
    insist(
      stops.length === 1 && candidates.at(-1)?.finishReason !== undefined,
      'there is not one finish reason',
    );
    insist(
      candidates.every(({ content }) => content.parts.length > 0),
      'there is a content without parts',
    );
    return toAnswer(
      id,
      stops[0]!,
      candidates.flatMap(({ content }) => content.parts),
    );
  },
  readWhole(json) {
    const { responseId, candidates } = JSON.parse(json) as Generation;
    const [{ content, finishReason = '' }] = candidates as [Generation['candidates'][number]];
    return toAnswer(responseId, finishReason, content.parts);
  },
};

function toAnswer(id: string, stop: string, parts: readonly Part[]): ClientAnswer {
  const textOf = (isThought: boolean) =>
    parts.map(({ text = '', thought = false }) => (thought === isThought ? text : '')).join('');
  return {
    id,
    stop,
    text: textOf(false),
    thoughts: textOf(true),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: '', name: call.name, input: call.args }],
    ),
    message: { role: 'model', parts },
  };
}
