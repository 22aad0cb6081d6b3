import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { ProgressKeeper } from './answer-progress.ts';
import { type Chunker, createChunker } from './chunker.ts';
import { type Compressor, createGzipCompressor } from './compressor.ts';
import type { Delivery } from './delivery.ts';
import type { BodyItem } from './encode-events.ts';
import type { Gate } from './gate.ts';
import type { OutgoingAnswer } from './outgoing-answer.ts';

/** Destination and delivery of a response. */
export interface DeliveryContext {
  readonly response: ServerResponse;
  readonly delivery: Delivery;
  readonly keeper: ProgressKeeper;
}

/**
 * Sends a response according to its delivery.
 *
 * Waits while the connection is full. If the client leaves, ends early without an error; the progress records
 * it.
 */
export async function deliver(
  outgoing: OutgoingAnswer,
  { response, delivery, keeper }: DeliveryContext,
): Promise<void> {
  if (delivery.headersAfter) await pass(delivery.headersAfter, keeper);
  if (keeper.progress.hasEnded) return;
  const encoding = delivery.isGzipped ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(outgoing.status, { ...outgoing.headers, ...encoding });
  response.flushHeaders();

  const connection: Connection = { response, keeper, truncate: delivery.truncate };
  const compressor = delivery.isGzipped ? createGzipCompressor() : undefined;
  const chunker = createChunker(delivery.cut);
  await sendItems(outgoing.body, { connection, compressor, chunker });
  if (keeper.progress.hasEnded) return;
  const trailer = compressor === undefined ? [] : chunker.push(await compressor.finish());
  await sendBytes([...trailer, ...chunker.flush()], connection);
  if (!keeper.progress.hasEnded) response.end();
}

interface Connection {
  readonly response: ServerResponse;
  readonly keeper: ProgressKeeper;
  readonly truncate: Delivery['truncate'];
}

interface Pipeline {
  readonly connection: Connection;
  readonly compressor: Compressor | undefined;
  readonly chunker: Chunker;
}

async function sendItems(
  items: Iterable<BodyItem>,
  { connection, compressor, chunker }: Pipeline,
): Promise<void> {
  const { keeper } = connection;
  for (const item of items) {
    if (keeper.progress.hasEnded) return;
    if (item instanceof Uint8Array) {
      const bytes = compressor === undefined ? item : await compressor.push(item);
      await sendBytes(chunker.push(bytes), connection);
      continue;
    }
    await sendBytes(chunker.flush(), connection);
    if (item.type === 'wait') await pass(item.gate, keeper);
    else if (item.type === 'end') return;
    else breakOff(connection);
  }
}

async function sendBytes(chunks: readonly Uint8Array[], connection: Connection): Promise<void> {
  const { response, keeper, truncate } = connection;
  for (const chunk of chunks) {
    if (keeper.progress.hasEnded) return;
    const room = (truncate?.afterBytes ?? Number.POSITIVE_INFINITY) - keeper.progress.writtenBytes;
    await sendChunk(chunk.subarray(0, room), connection);
    if (chunk.length < room) continue;
    if (truncate?.by === 'destroy') breakOff(connection);
    else if (truncate) await endEarly(response);
  }
}

async function sendChunk(chunk: Uint8Array, { response, keeper }: Connection): Promise<void> {
  if (chunk.length === 0) return;
  if (keeper.progress.writtenBytes > 0) await letClientRead();
  if (keeper.progress.hasEnded) return;
  keeper.wrote(chunk.length);
  const isFull = !response.write(chunk, (error) => {
    if (!error) keeper.accepted(chunk.length);
  });
  if (!isFull) return;
  keeper.paused();
  await Promise.race([once(response, 'drain'), keeper.progress.ended]);
}

/**
 * Lets a client in this process read the chunk before the next one is written. Clients merge chunks that
 * arrive together, which would hide the cuts. The first turn of the event loop may be the rest of the one in
 * which the chunk was written.
 */
async function letClientRead(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

async function endEarly(response: ServerResponse): Promise<void> {
  response.end();
  if (!response.writableFinished) await Promise.race([once(response, 'finish'), once(response, 'close')]);
}

/** Flushes written bytes, then resets the connection: unsent bytes would not make a truncated stream. */
function breakOff({ response, keeper }: Connection): void {
  keeper.brokenOff();
  response.write('', () => response.socket?.destroy());
}

async function pass(gate: Gate, keeper: ProgressKeeper): Promise<void> {
  gate.reach();
  await Promise.race([gate.opened, keeper.progress.ended]);
}
