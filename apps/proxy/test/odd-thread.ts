import { parentPort } from 'node:worker_threads';
import type { ObservationReply, ObservationRequest } from '../src/observe/observation-messages.ts';

/** Replaces the observing thread: does what the text of the order's request says. */
parentPort!.on('message', ({ id, order }: ObservationRequest) => {
  const reply = (message: ObservationReply) => parentPort!.postMessage(message);
  const text = Buffer.concat(order.request.pieces).toString();
  switch (text) {
    case 'throw':
      throw new TypeError('a defect');
    case 'exit':
      process.exit(3);
      break;
    case 'fail':
      return reply({ kind: 'failed', id, error: new TypeError('a defect') });
    case 'hang':
      for (;;);
    default:
      if (text.startsWith('wait')) return;
      reply({ kind: 'defect', error: new RangeError('lived with') });
      reply({
        kind: 'observed',
        id,
        observed: { model: text, planReason: 'deferred', observation: { status: 'done' } },
      });
  }
});
