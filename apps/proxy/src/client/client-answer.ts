import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { IncomingExchange } from '../app.ts';
import { headerValue } from '../upstream/request-headers.ts';
import { mergeHeaders, toClientHeaders } from '../upstream/response-headers.ts';
import type { UpstreamResponse } from '../upstream/upstream-client.ts';
import type { HeadWriter } from './head-writer.ts';

/** The head of an upstream's answer. */
export type AnswerHead = Pick<UpstreamResponse, 'status' | 'headers'>;

/**
 * The one answer that the client gets, written piece by piece.
 *
 * Its head is held until there is something to write behind it, so that until then everything can still be taken back.
 */
export class ClientAnswer {
  readonly #outgoing: ServerResponse;
  readonly #headWriter: HeadWriter;
  readonly #signal: AbortSignal;
  #first: AnswerHead | undefined;
  #last: AnswerHead | undefined;

  constructor({ outgoing, head, signal }: Pick<IncomingExchange, 'outgoing' | 'head' | 'signal'>) {
    this.#outgoing = outgoing;
    this.#headWriter = head;
    this.#signal = signal;
  }

  /** Whether the client has seen anything. */
  get hasStarted(): boolean {
    return this.#outgoing.headersSent;
  }

  /** Takes the head of a round's answer. */
  takeHead(head: AnswerHead): void {
    this.#first ??= head;
    this.#last = head;
  }

  /** Writes a piece at once; resolves when the client has room for more. Rejects when it leaves before. */
  async write(text: string): Promise<void> {
    if (!this.hasStarted) this.#writeHead(this.#first!.status, this.#first!, undefined);
    if (!this.#outgoing.write(text)) await once(this.#outgoing, 'drain', { signal: this.#signal });
  }

  /** Writes what keeps the line alive; nothing when the answer is over, or to a client that does not read as it is. */
  beat(text: string): void {
    const { writableEnded, writableNeedDrain } = this.#outgoing;
    if (this.hasStarted && !writableEnded && !writableNeedDrain) this.#outgoing.write(text);
  }

  /** Writes the rest and ends the answer; resolves when it is handed over to the system. Rejects when the client has left before. */
  async end(rest: string): Promise<void> {
    // An answer that is closed already says so to nobody again: whoever waited for it would wait for ever.
    this.#signal.throwIfAborted();
    const text = Buffer.from(rest);
    if (!this.hasStarted) {
      const head = mergeHeaders(this.#first!.headers, this.#last!.headers);
      this.#writeHead(this.#last!.status, { headers: head }, text.length);
    }
    if (this.#outgoing.writableEnded) return;
    await new Promise<void>((resolve) => {
      this.#outgoing.once('close', resolve);
      this.#outgoing.end(text, () => resolve());
    });
  }

  /** Answers with an error of the proxy's own making instead. */
  async fail(status: number, body: string): Promise<void> {
    this.#first = { status, headers: ['content-type', 'application/json'] };
    this.#last = this.#first;
    await this.end(body);
  }

  #writeHead(status: number, { headers }: Pick<AnswerHead, 'headers'>, length: number | undefined): void {
    const own = toClientHeaders(headers, 'rewritten');
    if (length !== undefined) own.push('content-length', String(length));
    else own.push(...missing(own, UNBUFFERED));
    this.#headWriter.write(status, own, length === undefined ? 'any-round' : 'last-round');
  }
}

/** What keeps caches and reverse proxies in front from holding a stream back. */
const UNBUFFERED = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };

function missing(headers: readonly string[], wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted).flatMap((entry) =>
    headerValue(headers, entry[0]) === undefined ? entry : [],
  );
}
