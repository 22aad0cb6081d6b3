import type { ClientSignal, LeaveListener } from '../http/client-signal.ts';
import { type BodySource, UpstreamBody } from '../http/upstream-body.ts';
import { FetchFailure } from './fetch-failure.ts';

/**
 * Returns the body of a response of `fetch` for an exchange. The response is not touched before the body has a
 * reader; the body fails when the caller leaves.
 */
export function readFetchBody(response: Response, signal: ClientSignal): UpstreamBody {
  const source = new FetchBody(response);
  signal.add(source);
  return source.body;
}

class FetchBody implements BodySource, LeaveListener {
  readonly body = new UpstreamBody(this, true);
  readonly #response: Response;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isPaused = true;
  #isReading = false;

  constructor(response: Response) {
    this.#response = response;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isReading) void this.#read();
  }

  abort(reason: Error): void {
    const cancelled =
      this.#reader === undefined ? this.#response.body?.cancel(reason) : this.#reader.cancel(reason);
    // A body that has failed cannot be cancelled, and need not be.
    cancelled?.catch(() => {});
  }

  onLeave(reason: Error): void {
    this.abort(reason);
    this.body.fail(reason);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      this.#reader ??= this.#response.body?.getReader();
      while (!this.#isPaused) {
        const { done, value } = (await this.#reader?.read()) ?? END;
        if (done) {
          this.body.finish();
          break;
        }
        this.body.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      }
    } catch (error) {
      this.body.fail(new FetchFailure(error));
    }
    this.#isReading = false;
  }
}

const END = { done: true, value: undefined } as const;
