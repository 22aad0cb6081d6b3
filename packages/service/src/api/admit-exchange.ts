import { readAway } from '../bodies/read-away.ts';
import { type Admission, overloaded } from './admission.ts';
import type { BodyHold, BodyMemory } from './body-memory.ts';
import type { Exchange } from './exchange.ts';

/** What decides whether a request is worked on. */
export interface AdmissionContext {
  readonly admission: Admission;
  readonly bodyMemory: BodyMemory;
  readonly isRefusing: () => boolean;
}

/** The place that a request has among those that are worked on. */
export interface Admitted {
  /** Says how many bytes are held of its body from now on. Throws `overloaded` when there is no room. */
  readonly hold: BodyHold['resize'];
  /** Lets others be admitted before this request is answered: for what waits for somebody else. */
  readonly release: () => void;
}

/** Works on a request, unless there are too many or the service ends: then it is refused as `overloaded`. What is held of its body is given back in any case. */
export async function admitExchange<Result>(
  { incoming }: Pick<Exchange, 'incoming'>,
  { admission, bodyMemory, isRefusing }: AdmissionContext,
  work: (admitted: Admitted) => Promise<Result>,
): Promise<Result> {
  if (isRefusing()) {
    await readAway(incoming);
    throw overloaded('The service is shutting down.');
  }
  admission.enter();
  const release = once(() => admission.leave());
  const hold = bodyMemory.open();
  try {
    return await work({ hold: hold.resize, release });
  } finally {
    hold.release();
    release();
  }
}

function once(call: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) call();
    isDone = true;
  };
}
