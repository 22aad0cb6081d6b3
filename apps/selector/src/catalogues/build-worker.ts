import { parentPort, workerData } from 'node:worker_threads';
import type { ErrorCode } from '@winnow/core';
import { packCatalogue } from '@winnow/ranking';
import { ApiError } from '@winnow/service';
import { buildFromBody } from './build-catalogue.ts';
import type { BuildOrder, BuildReply, BuildWorkerData, BuiltReply } from './build-messages.ts';

const { maxTools } = workerData as BuildWorkerData;
const port = parentPort!;

// Any error but a rejection is a defect: it ends this worker, and the pool starts another.
port.on('message', (order: BuildOrder) => {
  try {
    const { built, transfer } = build(order);
    port.postMessage(built, transfer);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message, details } = error;
    // Only the selector's codes are thrown here.
    const code = error.code as ErrorCode;
    port.postMessage({ kind: 'refused', code, message, details } satisfies BuildReply);
  } finally {
    // Frees the bytes at once: V8 counts external memory, and would run a garbage collection to reclaim it.
    order.bytes.buffer.transferToFixedLength(0);
  }
});

function build({ bytes, toolsStart }: BuildOrder): { built: BuiltReply; transfer: readonly ArrayBuffer[] } {
  const input = {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    toolsStart,
    maxTools,
  };
  const { catalogue, ...rest } = buildFromBody(input, () => performance.now());
  const moved = catalogue && packCatalogue(catalogue);
  return { built: { kind: 'built', ...rest, packed: moved?.packed }, transfer: moved?.transfer ?? [] };
}
