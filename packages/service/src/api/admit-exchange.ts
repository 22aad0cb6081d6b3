import { readAway } from '../bodies/read-away.ts';
import type { Party } from '../bounds/shares.ts';
import { type Admission, overloaded } from './admission.ts';
import type { BodyHold, BodyMemory } from './body-memory.ts';
import type { Exchange } from './exchange.ts';

/** The limits that decide whether a request is admitted. */
export interface AdmissionContext {
  readonly admission: Admission;
  /** The sender, where senders have shares. */
  readonly party?: Party | undefined;
  readonly bodyMemory: BodyMemory;
  readonly isRefusing: () => boolean;
}

/** An admitted request's place. */
export interface Admitted {
  /** Sets the number of bytes held of its body. Throws `overloaded` when there is no room. */
  readonly hold: BodyHold['resize'];
  /** Admits other requests before this one is answered, while it waits for another service. */
  readonly release: () => void;
}

/**
 * Runs `work` for a request. If there are too many requests or the service is stopping, the request is
 * refused as `overloaded`. The memory of its body is always released.
 */
export async function admitExchange<Result>(
  { incoming }: Pick<Exchange, 'incoming'>,
  { admission, party, bodyMemory, isRefusing }: AdmissionContext,
  work: (admitted: Admitted) => Promise<Result>,
): Promise<Result> {
  if (isRefusing()) {
    await readAway(incoming);
    throw overloaded('The service is shutting down.');
  }
  const release = admission.enter(party);
  const hold = bodyMemory.open();
  try {
    return await work({ hold: hold.resize, release });
  } finally {
    hold.release();
    release();
  }
}
