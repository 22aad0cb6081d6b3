import type { BodyMemory } from './body-memory.ts';
import type { Exchange } from './exchange.ts';
import { readingBytes, readJson } from './read-json.ts';
import { type BodyLimits, type BodySink, receiveBody } from './receive-body.ts';

/** A body as it came, decoded, and the value that it holds. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/**
 * Receives the body of an exchange as JSON, and accounts for all that it takes until then. Rejects as `receiveBody` and `readJson` do, and with what
 * `hold` throws.
 *
 * @param hold is told how many bytes are held from now on.
 */
export async function receiveJson(
  { incoming, outgoing }: Pick<Exchange, 'incoming' | 'outgoing'>,
  limits: BodyLimits,
  hold: ReturnType<BodyMemory['open']>['resize'],
): Promise<JsonBody> {
  const chunks: Buffer[] = [];
  let received = 0;
  let encodedBytes = 0;
  // The chunks, and the body that is put together of them.
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
  hold(readingBytes(bytes));
  return { bytes, value: readJson(bytes) };
}
