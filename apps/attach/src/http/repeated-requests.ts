import type { IncomingMessage } from 'node:http';
import { ATTACH_LIMITS, type AttachResponse } from '@winnow/core';
import { AttachError, toAttachError } from '../attach-error.ts';
import { hashOfRequest } from '../attach-service.ts';
import type { AttachStore, KeyState } from '../guard/attach-store.ts';

export interface RepeatedRequestsOptions {
  readonly store: AttachStore;
  /** Called when a key could not be released or a response not stored; the work itself is done. */
  readonly onStoreFailure: (error: unknown) => void;
}

/** A response, and whether it belongs to an earlier request. */
export interface Answered {
  readonly response: AttachResponse;
  readonly isReplay: boolean;
}

/**
 * Does work once for requests that are the same: those with one `Idempotency-Key`, for a day, and those without a key that come while the first of them is being
 * worked on. What fails is not kept, so that trying again is trying again.
 */
export class RepeatedRequests {
  readonly #options: RepeatedRequestsOptions;
  readonly #running = new Map<string, Promise<AttachResponse>>();

  constructor(options: RepeatedRequestsOptions) {
    this.#options = options;
  }

  /** @param scope identifies the caller: a response is never given to another caller. */
  async answer(
    { headers }: Pick<IncomingMessage, 'headers'>,
    { scope, body }: { readonly scope: string; readonly body: object },
    work: () => Promise<AttachResponse>,
  ): Promise<Answered> {
    const bodyHash = hashOfRequest(body);
    const key = readKey(headers['idempotency-key']);
    if (key === undefined) return await this.#together(`${scope} ${bodyHash}`, work);
    return await this.#once(hashOfRequest([scope, key]), bodyHash, work);
  }

  async #together(key: string, work: () => Promise<AttachResponse>): Promise<Answered> {
    const running = this.#running.get(key);
    if (running !== undefined) return { response: await running, isReplay: false };
    const own = work().finally(() => this.#running.delete(key));
    this.#running.set(key, own);
    return { response: await own, isReplay: false };
  }

  async #once(key: string, bodyHash: string, work: () => Promise<AttachResponse>): Promise<Answered> {
    const { store, onStoreFailure } = this.#options;
    const state = await begin(store, key, bodyHash);
    if (state.kind === 'finished') {
      return { response: state.response, isReplay: true };
    }
    if (state.kind === 'conflict')
      throw new AttachError('idempotency_conflict', 'This Idempotency-Key was used with another body.');
    if (state.kind === 'running')
      throw new AttachError(
        'in_progress',
        'The first request with this Idempotency-Key is still being processed.',
        {
          headers: { 'retry-after': '1' },
        },
      );
    try {
      const response = await work();
      await store.finish(key, bodyHash, response).catch(onStoreFailure);
      return { response, isReplay: false };
    } catch (error) {
      await store.abandon(key).catch(onStoreFailure);
      throw error;
    }
  }
}

async function begin(store: AttachStore, key: string, bodyHash: string): Promise<KeyState> {
  try {
    return await store.begin(key, bodyHash);
  } catch (error) {
    throw toAttachError(error);
  }
}

function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const length = header.length;
  if (typeof header === 'string' && length >= 1 && length <= ATTACH_LIMITS.idempotencyKeyChars) return header;
  throw new AttachError('invalid_request', 'Idempotency-Key must have 1 to 255 characters.');
}
