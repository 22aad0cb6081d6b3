import type { Framing } from '../../src/framing/framing.ts';
import { isJsonObject } from '../../src/json/json-value.ts';
import type { ClientAnswer } from '../format-fixtures.ts';
import { decodeAll } from '../frames.ts';

export type Json = Readonly<Record<string, unknown>>;

interface Generation {
  readonly id: string;
  readonly parts: readonly Json[];
  readonly stopReason: string;
  readonly usage: Record<string, number>;
}

/** Reads a stream as a strict client does: one id, one reason why it ended, in the last chunk that has a candidate, and no error. */
export function readChunks(stream: string, framing: Framing): ClientAnswer {
  const events = decodeAll(framing, [new TextEncoder().encode(stream)]);
  const chunks = events.flatMap((event) => (event.kind === 'comment' ? [] : [parse(dataOf(event))]));
  const ids = new Set(chunks.map(({ responseId }) => responseId));
  if (ids.size !== 1) throw new Error(`ids: ${[...ids].join()}`);
  const candidates = chunks.flatMap((chunk) => (chunk.candidates as Json[] | undefined) ?? []);
  const reasons = candidates.map(({ finishReason }) => finishReason);
  if (reasons.filter(Boolean).length !== 1 || !reasons.at(-1)) throw new Error(`reasons: ${reasons.join()}`);
  const parts = candidates.flatMap(({ content }) => (content as { parts?: Json[] }).parts ?? []);
  if (candidates.some(({ content }) => (content as { parts?: Json[] }).parts?.length === 0)) {
    throw new Error('a content without parts');
  }
  const usage = chunks.findLast(({ usageMetadata }) => usageMetadata)!.usageMetadata;
  return readContent({
    id: String([...ids][0]),
    parts,
    stopReason: String(reasons.at(-1)),
    usage: usage as Generation['usage'],
  });
}

function dataOf(event: { readonly data: string } | { readonly text: string }): string {
  return 'data' in event ? event.data : event.text;
}

function parse(data: string): Json {
  const chunk = JSON.parse(data) as Json;
  if (!isJsonObject(chunk) || chunk.error !== undefined) throw new Error(`an error: ${data}`);
  return chunk;
}

/** Returns the content that a client sends back: all parts except thoughts. */
export function readContent({ id, parts, stopReason, usage }: Generation): ClientAnswer {
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall === undefined ? [] : [functionCall as Json],
  );
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return {
    id,
    text: texts.join(''),
    calls: calls.map(({ id: callId, name, args }, ordinal) => ({
      id: String(callId ?? `${name}#${ordinal}`),
      name: String(name),
      arguments: args,
    })),
    stopReason,
    inputTokens: usage.promptTokenCount!,
    outputTokens: usage.candidatesTokenCount! + usage.thoughtsTokenCount!,
    message: JSON.stringify({ role: 'model', parts }),
  };
}
