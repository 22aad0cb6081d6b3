import type { BodyMemory } from './body-memory.ts';
import type { Exchange } from './exchange.ts';
import { readingBytes, readJson } from './read-json.ts';
import { type BodyLimits, type BodySink, receiveBody } from './receive-body.ts';

/** The most JSON values of a body: a thousand tools with large schemas. */
const MAX_VALUES = 250_000;

/** A decoded body and its value. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/**
 * Receives the body of an exchange as JSON, and accounts for the memory that this takes. Rejects like
 * `receiveBody` and `readJson`, and with the errors of `hold`.
 *
 * @param hold sets the number of bytes that are held.
 * @param maxValues the most JSON values.
 */
export async function receiveJson(
  { incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>,
  limits: BodyLimits,
  hold: ReturnType<BodyMemory['open']>['resize'],
  maxValues = MAX_VALUES,
): Promise<JsonBody> {
  const chunks: Buffer[] = [];
  let received = 0;
  let encodedBytes = 0;
  // The chunks, and the buffer that joins them.
  const holdAll = () => hold(2 * received + encodedBytes);
  const sink: BodySink = {
    hold: (held) => {
      encodedBytes = held;
      holdAll();
    },
    write: (chunk) => {
      received += chunk.length;
      holdAll();
      chunks.push(chunk);
    },
  };
  await receiveBody(incoming, outgoing, sink, limits);
  const bytes = Buffer.concat(chunks);
  chunks.length = 0;
  hold(readingBytes(bytes, maxValues));
  return { bytes, value: readJson(bytes, maxValues) };
}
