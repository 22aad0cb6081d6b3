import { timingSafeEqual } from 'node:crypto';

/** A call that a server has interrupted to ask for something. */
export interface InterruptedCall {
  /** The server that asks, and the tool that was called. */
  readonly server: string;
  readonly id: string;
  /** The server's own state, as it gave it; undefined when it gave none. */
  readonly state: string | undefined;
}

/** Dependencies of {@link RequestStates}. */
export interface RequestStateParts {
  /** A text that only this registry can make of another one: an HMAC, the same on every instance. */
  readonly sign: (text: string) => string;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
}

/** Time limit for responding to a server's request for input, in milliseconds. */
export const REQUEST_STATE_TTL_MS = 3_600_000;

const FORM = 'w1';

/**
 * Writes and reads the `requestState` of calls that go through the front door: a server's own one, with the server's name, so that the next
 * round goes where the last one came from. Clients hold it, and cannot alter it.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class RequestStates {
  readonly #parts: RequestStateParts;

  constructor(parts: RequestStateParts) {
    this.#parts = parts;
  }

  seal({ server, id, state }: InterruptedCall): string {
    const { sign, wallClock } = this.#parts;
    const payload = JSON.stringify([server, id, wallClock(), ...(state === undefined ? [] : [state])]);
    const body = `${FORM}.${Buffer.from(payload).toString('base64url')}`;
    return `${body}.${sign(body)}`;
  }

  /** Undefined for a state that was not sealed here, was altered, or is too old. */
  open(sealed: string): InterruptedCall | undefined {
    const end = sealed.lastIndexOf('.');
    const body = sealed.slice(0, Math.max(end, 0));
    if (!body.startsWith(`${FORM}.`) || !isEqual(sealed.slice(end + 1), this.#parts.sign(body)))
      return undefined;
    // The signature proves that this payload was sealed here.
    const payload = Buffer.from(body.slice(FORM.length + 1), 'base64url').toString('utf8');
    const [server, id, at, state] = JSON.parse(payload) as [string, string, number, string?];
    if (this.#parts.wallClock() - at > REQUEST_STATE_TTL_MS) return undefined;
    return { server, id, state };
  }
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
