import { setImmediate, setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { ErrorCode } from '@winnow/contract';
import { packCatalogue, RANKERS } from '@winnow/ranking';
import { ApiError } from '@winnow/service';
import { buildFromBody } from './build-catalogue.ts';
import type {
  BuildOrder,
  BuildReply,
  BuildWorkerData,
  BuiltReply,
  RefusedReply,
  RehearsedNote,
} from './build-messages.ts';
import { BEFORE_REHEARSALS_MS, REHEARSALS, rehearsalBody } from './rehearsal.ts';

const { ranker: rankerName, maxTools, rehearses } = workerData as BuildWorkerData;
const ranker = RANKERS[rankerName];
const port = parentPort!;
let hasOrders = false;

// What is not a refusal is a defect: it ends this worker, and the pool, which sees it end, starts another.
port.on('message', (order: BuildOrder) => {
  hasOrders = true;
  try {
    const { built, transfer } = build(order);
    reply(order, built, transfer);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message, details } = error;
    // No other codes are thrown here than the selector's.
    const code = error.code as ErrorCode;
    reply(order, { kind: 'refused', code, message, details }, []);
  }
});

if (rehearses) await rehearse();

/** Round by round, so that an order waits for one at most; and not at once, as much else may start with this service. */
async function rehearse(): Promise<void> {
  await setTimeout(BEFORE_REHEARSALS_MS);
  for (let round = 0; round < REHEARSALS && !hasOrders; round++) {
    const { catalogue } = buildFromBody({ ...rehearsalBody(round), maxTools }, ranker, () => 0);
    if (catalogue !== undefined) packCatalogue(catalogue);
    await setImmediate();
  }
  port.postMessage({ kind: 'rehearsed' } satisfies RehearsedNote);
}

function reply(
  { bytes: { buffer } }: BuildOrder,
  said: BuiltReply | RefusedReply,
  transfer: readonly ArrayBuffer[],
): void {
  port.postMessage({ ...said, block: buffer } satisfies BuildReply, [buffer, ...transfer]);
}

function build({ bytes, toolsStart }: BuildOrder): { built: BuiltReply; transfer: readonly ArrayBuffer[] } {
  const input = {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    toolsStart,
    maxTools,
  };
  const { catalogue, ...rest } = buildFromBody(input, ranker, () => performance.now());
  const moved = catalogue && packCatalogue(catalogue);
  return { built: { kind: 'built', ...rest, packed: moved?.packed }, transfer: moved?.transfer ?? [] };
}
